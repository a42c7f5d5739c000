import { useState } from 'preact/hooks';
import { DropChanges } from '../../components/outdated.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { admin, reasonOf } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import type { Journey } from './records.js';
import { texts } from './texts.js';

export interface Revision {
  readonly uuid: string;
  readonly count: number;
  readonly created_at: string;
  readonly format: 'notebook' | 'definition';
  readonly used_as: readonly string[];
  readonly length: number;
  /** When it was last published as production, if that is known. */
  readonly published_at?: string;
}

interface Props {
  readonly journey: Journey;
  readonly language: 'json' | 'notebook';
  /** Drops the text that is not saved; undefined if there is none. */
  readonly drop: (() => void) | undefined;
  /** Opens a text in the editor. */
  readonly edit: (text: string) => void;
}

/** The revisions of a journey, newest first. The text of an older one can be loaded into the editor. */
export default function Revisions({ journey: { uuid, draft }, language, drop, edit }: Props) {
  const { data, error, reload } = useQuery<{ revisions: readonly Revision[] }>(`/journeys/${uuid}/revisions`, [
    'journey.changed',
    'state.',
  ]);
  const [failure, setFailure] = useState<string>();
  if (error) return <Failure error={error} retry={reload} />;
  if (!data) return <Loading />;
  const load = (revision: string): void =>
    void admin<{ notebook?: string; json?: string }>('GET', `/journeys/${uuid}/revisions/${revision}`).then(
      ({ notebook, json }) => edit(notebook ?? json ?? ''),
      (error) => setFailure(reasonOf(error)),
    );
  return (
    <>
      {failure && <p role="alert">{failure}</p>}
      {drop && (
        <div class="callout">
          {texts.revisionWouldReplace} <DropChanges drop={drop} />
        </div>
      )}
      <ul class="journey-rows">
        {data.revisions.map(({ uuid: id, count, created_at, published_at, format, used_as, length }) => (
          <li key={id}>
            <strong>{texts.revisionNumber(count)}</strong>
            {used_as.map((name) => (
              <Status key={name} tone={name === 'production' ? 'ok' : 'neutral'}>
                {name}
              </Status>
            ))}
            <small>
              {texts.ofCharacters(<Time at={created_at} />, format, length)}
              {published_at !== undefined && <> {texts.published(<Time at={published_at} />)}</>}
            </small>
            {id !== draft && (format === 'notebook') === (language === 'notebook') && (
              <button type="button" class="button outlined" disabled={drop !== undefined} onClick={() => load(id)}>
                {texts.loadIntoEditor}
                <span class="unseen"> {texts.ofRevision(count)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
