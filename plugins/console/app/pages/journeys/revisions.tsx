import { useState } from 'preact/hooks';
import { DropChanges } from '../../components/outdated.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { admin, reasonOf } from '../../data/admin.js';
import { useQuery } from '../../data/query.js';
import type { Draft } from './draft.js';
import { Back } from './publication.js';
import type { Revision } from './records.js';
import { texts } from './texts.js';

interface Props {
  readonly draft: Draft;
  readonly show: (tab: string, card?: string) => void;
  /** Opens a text in the editor. */
  readonly edit: (text: string) => void;
}

/** The revisions of a journey, newest first. The text of an older one can be loaded into the editor. */
export default function Revisions({ draft, show, edit }: Props) {
  const { uuid, draft: newest, revisions } = draft.journey!;
  const { data, error, reload } = useQuery<{ revisions: readonly Revision[] }>(`/journeys/${uuid}/revisions`, [
    'journey.changed',
    'state.',
  ]);
  const [failure, setFailure] = useState<string>();
  const current = data?.revisions.find(({ uuid: id }) => id === revisions.production);
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
      {draft.isChanged && (
        <div class="callout">
          {texts.revisionWouldReplace} <DropChanges drop={() => draft.set(undefined)} />
        </div>
      )}
      <ul class="journey-rows">
        {data.revisions.map((one) => {
          const { uuid: id, count, created_at, published_at, format, used_as, length } = one;
          return (
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
              {id !== newest && (format === 'notebook') === (draft.language === 'notebook') && (
                <button type="button" class="button outlined" disabled={draft.isChanged} onClick={() => load(id)}>
                  {texts.loadIntoEditor}
                  <span class="unseen"> {texts.ofRevision(count)}</span>
                </button>
              )}
              {published_at !== undefined && id !== revisions.production && <Back {...{ draft, current, show }} to={one} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}
