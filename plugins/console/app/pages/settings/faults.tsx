import { useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActButton } from '../../components/act.js';
import { Evidence } from '../../components/record-link.js';
import { Time } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { useEventList } from '../../data/event-list.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import { FaultForm, type Targets } from './fault-form.js';
import { SettingsSection } from './settings-section.js';

export interface FaultRule {
  readonly id: string;
  readonly where: string;
  readonly effect: { readonly kind: string; readonly status?: number; readonly delay_ms?: number; readonly copies?: number };
  readonly match?: Readonly<Record<string, string>>;
  readonly times?: number;
  readonly rate?: number;
  readonly until?: string;
  readonly seen: number;
  readonly fired: number;
}

interface Rules {
  readonly faults: readonly FaultRule[];
  readonly presets: Readonly<Record<string, string>>;
  readonly targets: Targets;
}

/** The fault rules with their counters, presets, and what each rule did. */
export function Faults() {
  const query = useQuery<Rules>('/faults', ['fault.', 'state.']);
  return (
    <SettingsSection query={query} lacks="faults">
      {(rules) => <Shown rules={rules} reload={query.reload} />}
    </SettingsSection>
  );
}

function Shown({ rules: { faults, presets, targets }, reload }: { rules: Rules; reload: () => void }) {
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <p>
        A fault rule makes the platform pretend that a request, response or file operation fails. Rules act in this order; the first one
        that matches and is not used up acts.
      </p>
      <div>
        <button type="button" class="button" {...controlOf({ method: 'POST', path: '/faults' })} onClick={() => setAdding(true)}>
          Add a fault…
        </button>
      </div>
      {isAdding && (
        <Sheet title="Add a fault" look="drawer" close={() => setAdding(false)}>
          <FaultForm
            targets={targets}
            done={() => {
              announce('The fault was added');
              setAdding(false);
              reload();
            }}
          />
        </Sheet>
      )}
      <div class="table-scroll">
        <table class="words">
          <caption>Rules</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Effect</th>
              <th scope="col">Fired</th>
              <th scope="col">Left</th>
              <th scope="col">Remove</th>
            </tr>
          </thead>
          <tbody>
            {faults.map((rule) => (
              <tr key={rule.id}>
                <th scope="row">
                  <span class="mono">{rule.id}</span> on {rule.where}
                  {Object.entries(rule.match ?? {}).map(([field, value]) => (
                    <div key={field} class="quiet" dir="auto">
                      {field}: {value}
                    </div>
                  ))}
                </th>
                <td>{effectOf(rule)}</td>
                <td class="figure">
                  {rule.fired} of {rule.seen} matches
                </td>
                <td class="figure">{leftOf(rule)}</td>
                <td>
                  <ActButton
                    action={{ method: 'DELETE', path: `/faults/${rule.id}`, command: `posthorn fault remove ${rule.id}` }}
                    look="button outlined"
                    announcement="The rule was removed"
                    confirm={{ title: `Remove ${rule.id}?`, text: 'Its counters are lost.', verb: 'Remove the rule' }}
                    done={reload}
                  >
                    Remove<span class="unseen"> {rule.id}</span>
                  </ActButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {faults.length === 0 && <p class="quiet">No rule: nothing fails unless it really does.</p>}
      </div>
      <section aria-labelledby="presets">
        <h2 id="presets">Presets</h2>
        <ul class="presets">
          {Object.entries(presets).map(([name, summary]) => (
            <li key={name}>
              <p>
                <strong class="mono">{name}</strong> <span class="quiet">{summary}</span>
              </p>
              <ActButton
                action={{ method: 'POST', path: '/faults', payload: { preset: name }, command: `posthorn fault preset ${name}` }}
                look="button outlined"
                announcement={`${name} was added`}
                done={reload}
              >
                Add<span class="unseen"> {name}</span>
              </ActButton>
            </li>
          ))}
        </ul>
      </section>
      <Firings />
    </>
  );
}

interface Firing {
  readonly rule: string;
  readonly where: string;
  readonly effect: FaultRule['effect'];
  readonly fired: number;
  readonly left: number | null;
  readonly on: Readonly<Record<string, string | number>>;
}

const SHOWN = 50;

const isFiring = ({ name }: { readonly name: string }): boolean => name === 'fault.fired';

function Firings() {
  const firings = useEventList('fault.fired', isFiring)
    .items.filter(isFiring)
    .slice(0, SHOWN)
    .map(({ id, at, data }) => ({ id, at, data: data as Firing }));
  return (
    <section aria-labelledby="firings">
      <h2 id="firings">Firings</h2>
      {firings.length === 0 && <p class="quiet">No rule has acted yet.</p>}
      <ol class="firings">
        {firings.map(({ id, at, data }) => (
          <li key={id}>
            <p>
              <Time at={at} /> <span class="mono">{data.rule}</span> on {data.where}: {data.effect.kind}
              {data.effect.status === undefined ? '' : ` ${data.effect.status}`}
              <span class="quiet">
                {' '}
                · {data.left === null ? `fired ${data.fired} times` : data.left === 0 ? 'used up' : `${data.left} left`}
              </span>
            </p>
            <Evidence values={Object.fromEntries(Object.entries(data.on).map(([key, value]) => [key, String(value)]))} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function effectOf({ effect: { kind, status, delay_ms: delay, copies } }: FaultRule): string {
  const about = [status, delay === undefined ? undefined : `${delay} ms`, copies === undefined ? undefined : `${copies} copies`];
  return [kind.replaceAll('_', ' '), ...about.filter((one) => one !== undefined)].join(' ');
}

function leftOf({ times, fired, rate, until }: FaultRule): string {
  const left = times === undefined ? `${Math.round((rate ?? 0) * 100)} % of matches` : String(times - fired);
  return until === undefined ? left : `${left}, until ${until}`;
}
