import { useRef, useState } from 'preact/hooks';
import { reasonOf } from '../data/admin.js';
import { texts } from './export-texts.js';
import { Menu } from './menu.js';

export interface Export<T> {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  /**
   * Saves a file. @param marked the rows that are marked; undefined for all that match @param progress throws when the user stops the export
   * @returns what was saved, as a sentence
   */
  readonly run: (marked: readonly T[] | undefined, progress: (text: string) => void) => Promise<string>;
}

interface ExportMenuProps<T> {
  readonly exports: readonly Export<T>[];
  readonly marked?: readonly T[] | undefined;
  /** Takes the marks away. */
  readonly clear?: () => void;
}

/** The user has stopped an export. */
class Stopped extends Error {}

/** Saves what the list shows, or the marked rows. */
export function ExportMenu<T>({ exports, marked, clear }: ExportMenuProps<T>) {
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const isStopped = useRef(false);
  const progress = (text: string): void => {
    if (isStopped.current) throw new Stopped();
    setSaid(text);
  };
  const save = async ({ run }: Export<T>): Promise<void> => {
    isStopped.current = false;
    setBusy(true);
    setSaid(texts.reading);
    const failed = (error: unknown): string => (error instanceof Stopped ? texts.stopped : texts.notSaved(reasonOf(error)));
    setSaid(await run(marked, progress).catch(failed));
    setBusy(false);
  };
  return (
    <>
      {marked && (
        <button type="button" class="button plain" aria-label={texts.unmarkRows(marked.length)} onClick={clear}>
          <span aria-hidden="true">✕</span> {marked.length}
        </button>
      )}
      <Menu items={exports.map((one) => ({ ...one, isDisabled: isBusy, select: () => void save(one) }))}>
        {marked ? texts.exportMarked(marked.length) : texts.exportAll}
      </Menu>
      <output class="export-said quiet">{said}</output>
      {isBusy && (
        <button
          type="button"
          class="button plain"
          onClick={() => {
            isStopped.current = true;
          }}
        >
          {texts.stop}
        </button>
      )}
    </>
  );
}
