import { useEffect, useRef, useState } from 'preact/hooks';
import { type Component, type ComponentProps, fieldsOf, listOf, shownText } from '../definition.js';
import { useInput } from '../stage.js';
import { texts } from '../texts.js';
import { FieldNotes } from './field.js';
import { renderText } from './render-text.js';

const DEFAULT_KB = 25_600;
const MAX_FILES = 30;

export const PhotoPicker = ({ component }: ComponentProps) => <FilePicker component={component} noun="photo" />;
export const DocumentPicker = ({ component }: ComponentProps) => <FilePicker component={component} noun="document" />;

/** Files stay in the page: the response contains only their names, types and hashes. */
function FilePicker({ component, noun }: ComponentProps & { noun: 'photo' | 'document' }) {
  const { id, props, value, enabled, problem, set, touch } = useInput(component);
  const [rejected, setRejected] = useState<string>();
  const pictures = useObjectUrls();
  const files = listOf(value).map(fieldsOf);
  const { min, max, kilobytes } = limitsOf(props, noun);
  const accept = noun === 'photo' ? 'image/*' : listOf(props['allowed-mime-types']).map(shownText).join(',');
  const add = async (list: FileList | null) => {
    const given = [...(list ?? [])];
    const small = given.filter(({ size }) => size <= kilobytes * 1024);
    const accepted = small.slice(0, Math.max(0, max - files.length));
    const tooLarge = given.length - small.length;
    setRejected(
      tooLarge > 0
        ? texts.filesAreLargerThan(tooLarge, sizeText(kilobytes))
        : accepted.length < small.length
          ? texts.youCanAddAtMost(max)
          : undefined,
    );
    const added = await Promise.all(accepted.map(describeFile));
    for (const [i, file] of accepted.entries()) if (noun === 'photo') pictures.keep(added[i]!.id, file);
    set([...files, ...added]);
  };
  const hint = texts.addToSMaxFile(max, noun, min, sizeText(kilobytes));
  return (
    <div class="picker" role="group" aria-labelledby={`${id}-label`}>
      <p id={`${id}-label`} class="picker-label" dir="auto">
        {renderText(props.label)}
        {min === 0 && <span class="optional"> {texts.optional}</span>}
      </p>
      {shownText(props.description) !== '' && (
        <p class="quiet" dir="auto">
          {renderText(props.description)}
        </p>
      )}
      <ul class={noun === 'photo' ? 'photos' : 'documents'}>
        {files.map((file) => (
          <li key={shownText(file.id)}>
            {pictures.of(shownText(file.id)) && <img src={pictures.of(shownText(file.id))} alt="" />}
            <span class="file-name" dir="auto">
              {shownText(file.file_name)}
            </span>
            <button
              type="button"
              class="round"
              aria-label={texts.remove(shownText(file.file_name))}
              onClick={() => set(files.filter(({ id }) => id !== file.id))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {files.length < max && (
        <label class="adder">
          <input
            type="file"
            id={id}
            accept={accept || undefined}
            multiple={max > 1}
            disabled={!enabled}
            aria-describedby={`${id}-hint`}
            onBlur={touch}
            onChange={({ currentTarget }) => {
              void add(currentTarget.files).then(() => {
                currentTarget.value = '';
              });
            }}
          />
          <span aria-hidden="true">+</span> {texts.addS(max, noun)}
        </label>
      )}
      <p id={`${id}-hint`} class="quiet">
        {hint}
      </p>
      <FieldNotes id={id} problem={rejected ?? problem} />
    </div>
  );
}

function limitsOf(props: Component, noun: string): { min: number; max: number; kilobytes: number } {
  const given = (key: string, otherwise: number): number =>
    Number(props[key]) >= 0 && props[key] !== undefined ? Number(props[key]) : otherwise;
  return {
    min: given(`min-uploaded-${noun}s`, 0),
    max: given(`max-uploaded-${noun}s`, MAX_FILES),
    kilobytes: given('max-file-size-kb', DEFAULT_KB),
  };
}

const sizeText = (kilobytes: number): string => (kilobytes >= 1024 ? `${Math.round((kilobytes / 1024) * 10) / 10} MB` : `${kilobytes} KB`);

/** Describes a file as a completion message does. Without the hash on insecure origins, where browsers have no `crypto.subtle`. */
async function describeFile(file: File): Promise<{ file_name: string; mime_type: string; sha256?: string; id: string }> {
  const id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte % 10).join('');
  const about = { file_name: file.name, mime_type: file.type || 'application/octet-stream' };
  if (!globalThis.isSecureContext) return { ...about, id };
  const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return { ...about, sha256: btoa(String.fromCharCode(...new Uint8Array(hash))), id };
}

/** Object URLs of the chosen photos, revoked when the screen is closed. */
function useObjectUrls() {
  const urls = useRef(new Map<string, string>());
  useEffect(() => () => [...urls.current.values()].forEach((url) => void URL.revokeObjectURL(url)), []);
  return {
    keep: (id: string, file: File): void => void urls.current.set(id, URL.createObjectURL(file)),
    of: (id: string): string | undefined => urls.current.get(id),
  };
}
