import { useEffect, useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ActForm } from '../../components/act.js';
import { announce } from '../../data/announce.js';
import { useQuery } from '../../data/query.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
    <SettingsSection query={query} lacks={texts.partSeed}>
      {(seed) => <Shown seed={seed} reload={query.reload} />}
    </SettingsSection>
  );
}

function Shown({ seed: { seed, is_demo: isDemo, has_own_key: hasOwnKey, records }, reload }: { seed: Seed; reload: () => void }) {
  return (
    <>
      <p>
        {isDemo ? texts.thisSandboxHasTheSeed : texts.theSeedHasTheInitial}{' '}
        {hasOwnKey ? texts.idsTokensAndSecretsFollow : texts.idsTokensAndSecretsAre}
      </p>
      <dl class="facts">
        {Object.entries(records).map(([kind, all]) => (
          <div key={kind} class="fact">
            <dt>{kind}</dt>
            <dd>
              {all.length === 0 ? <span class="quiet">{texts.none}</span> : null}
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
        label={texts.applyAChangedSeed}
        verb={texts.apply}
        action={{ method: 'POST', path: '/state/seed', payload: { seed: parsed.value ?? null } }}
        done={({ changes: done }) => {
          setChanges(done);
          announce(texts.theSeedWasAppliedChanges(done.length));
          reload();
        }}
      >
        <div class="field">
          <label for={id}>{texts.seed}</label>
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
          <small id={`${id}-note`}>{parsed.problem ?? texts.createsWhatIsNewUpdates}</small>
        </div>
      </ActForm>
      {changes && (
        <div class="callout ok" role="status">
          <p>{changes.length === 0 ? texts.nothingChanged : texts.theSeedWasApplied}</p>
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
    return { problem: texts.itIsNotJson(error instanceof Error ? error.message : String(error)) };
  }
}
