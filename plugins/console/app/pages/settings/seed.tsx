import { useEffect, useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActForm } from '../../components/act.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';

interface Named {
  readonly uuid: string;
  readonly name: string;
}

export interface Seed {
  readonly seed: object | null;
  readonly is_demo: boolean;
  readonly has_own_key: boolean;
  readonly comparable: boolean;
  readonly records: Readonly<Record<'numbers' | 'channels' | 'webhooks' | 'journeys', readonly Named[]>>;
}

const EMPTY = { numbers: [], channels: [], webhooks: [], journeys: [] };

/** The seed, the records that it created, and a changed seed to apply without losing state. */
export function SeedSettings() {
  const query = useQuery<Seed>('/state/seed', ['state.', 'number.created']);
  return (
    <SettingsSection query={query} lacks="seed">
      {(seed) => <Shown seed={seed} reload={query.reload} />}
    </SettingsSection>
  );
}

function Shown({ seed: { seed, is_demo: isDemo, has_own_key: hasOwnKey, records }, reload }: { seed: Seed; reload: () => void }) {
  return (
    <>
      <p>
        {isDemo
          ? 'This sandbox has the seed demo: an example channel, webhook, journeys and integration, with programs that serve them.'
          : 'The seed has the initial records of this sandbox.'}{' '}
        {hasOwnKey
          ? 'Ids, tokens and secrets follow from a seed key, so they are the same in every run.'
          : 'Ids, tokens and secrets are random; with --seed-key they are the same in every run.'}
      </p>
      <dl class="facts">
        {Object.entries(records).map(([kind, all]) => (
          <div key={kind} class="fact">
            <dt>{kind}</dt>
            <dd>
              {all.length === 0 ? <span class="quiet">none</span> : null}
              {all.map(({ uuid, name }, at) => (
                <span key={uuid}>
                  {at > 0 && ', '}
                  <Link href={`/${kind}/${uuid}`}>
                    <bdi>{name}</bdi>
                  </Link>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Apply seed={seed ?? EMPTY} reload={reload} />
    </>
  );
}

function Apply({ seed, reload }: { seed: object; reload: () => void }) {
  const id = useId();
  const written = JSON.stringify(seed, null, 2);
  const [text, setText] = useState(written);
  const [changes, setChanges] = useState<readonly string[]>();
  useEffect(() => setText(written), [written]);
  const parsed = parse(text);
  return (
    <>
      <ActForm<{ changes: readonly string[] }>
        label="Apply a changed seed"
        verb="Apply"
        action={{ method: 'POST', path: '/state/seed', payload: { seed: parsed.value ?? null } }}
        done={({ changes: done }) => {
          setChanges(done);
          announce(`The seed was applied: ${done.length} changes`);
          reload();
        }}
      >
        <div class="field">
          <label for={id}>Seed</label>
          <textarea
            id={id}
            class="area"
            rows={16}
            value={text}
            spellcheck={false}
            aria-describedby={`${id}-note`}
            aria-invalid={parsed.problem !== undefined}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <small id={`${id}-note`}>
            {parsed.problem ?? 'Creates what is new, updates webhooks and journeys, and deletes nothing. Tokens and secrets are not shown.'}
          </small>
        </div>
      </ActForm>
      {changes && (
        <div class="callout ok" role="status">
          <p>{changes.length === 0 ? 'Nothing changed.' : 'The seed was applied:'}</p>
          <ul>
            {changes.map((one) => (
              <li key={one} dir="auto">
                {one}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function parse(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `It is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
