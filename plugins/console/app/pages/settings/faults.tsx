import { useState } from 'preact/hooks';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActButton } from '../../components/act.js';
import { wordsOfEffect } from '../../components/fault-texts.js';
import { Evidence } from '../../components/record-link.js';
import { Time, WithTimes } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { useEventList } from '../../data/event-list.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import { FaultForm, type Targets, targetNames } from './fault-form.js';
import { SettingsSection } from './settings-section.js';
import { texts } from './texts.js';

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
    <SettingsSection query={query} lacks={texts.partFaults}>
      {(rules) => <Shown rules={rules} reload={query.reload} />}
    </SettingsSection>
  );
}

function Shown({ rules: { faults, presets, targets }, reload }: { rules: Rules; reload: () => void }) {
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <p>{texts.aFaultRuleMakesThe}</p>
      <div>
        <button type="button" class="button" {...controlOf({ method: 'POST', path: '/faults' })} onClick={() => setAdding(true)}>
          {texts.addAFault2}
        </button>
      </div>
      {isAdding && (
        <Sheet title={texts.addAFault} look="drawer" close={() => setAdding(false)}>
          <FaultForm
            targets={targets}
            done={() => {
              announce(texts.theFaultWasAdded);
              setAdding(false);
              reload();
            }}
          />
        </Sheet>
      )}
      <div class="table-scroll">
        <table class="words">
          <caption>{texts.rules2}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.rule}</th>
              <th scope="col">{texts.effect}</th>
              <th scope="col">{texts.fired}</th>
              <th scope="col">{texts.left}</th>
              <th scope="col">{texts.remove}</th>
            </tr>
          </thead>
          <tbody>
            {faults.map((rule) => (
              <tr key={rule.id}>
                <th scope="row">
                  <span class="mono">{rule.id}</span> {texts.on2(targetNames[rule.where] ?? rule.where)}
                  {Object.entries(rule.match ?? {}).map(([field, value]) => (
                    <div key={field} class="quiet" dir="auto">
                      {field}: {value}
                    </div>
                  ))}
                </th>
                <td title={rule.effect.kind}>{effectOf(rule)}</td>
                <td class="figure">{texts.ofMatches(rule.fired, rule.seen)}</td>
                <td class="figure">
                  <WithTimes text={leftOf(rule)} />
                </td>
                <td>
                  <ActButton
                    action={{ method: 'DELETE', path: `/faults/${rule.id}`, command: `posthorn fault remove ${rule.id}` }}
                    look="button outlined"
                    announcement={texts.theRuleWasRemoved}
                    confirm={{ title: texts.remove2(rule.id), text: texts.itsCountersAreLost, verb: texts.removeTheRule }}
                    done={reload}
                  >
                    {texts.remove}
                    <span class="unseen"> {rule.id}</span>
                  </ActButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {faults.length === 0 && <p class="quiet">{texts.noRuleNothingFailsUnless}</p>}
      </div>
      <section aria-labelledby="presets">
        <h2 id="presets">{texts.presets}</h2>
        <ul class="presets">
          {Object.entries(presets).map(([name, summary]) => (
            <li key={name}>
              <p>
                <strong class="mono">{name}</strong> <span class="quiet">{summary}</span>
              </p>
              <ActButton
                action={{ method: 'POST', path: '/faults', payload: { preset: name }, command: `posthorn fault preset ${name}` }}
                look="button outlined"
                announcement={texts.wasAdded(name)}
                done={reload}
              >
                {texts.add}
                <span class="unseen"> {name}</span>
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
      <h2 id="firings">{texts.firings}</h2>
      {firings.length === 0 && <p class="quiet">{texts.noRuleHasActedYet}</p>}
      <ol class="firings">
        {firings.map(({ id, at, data }) => (
          <li key={id}>
            <p>
              {texts.on3(<Time at={at} />, data.rule, targetNames[data.where] ?? data.where, effectOf(data))}
              <span class="quiet">
                {' '}
                · {data.left === null ? texts.firedTimes(data.fired) : data.left === 0 ? texts.usedUp : texts.left2(data.left)}
              </span>
            </p>
            <Evidence values={Object.fromEntries(Object.entries(data.on).map(([key, value]) => [key, String(value)]))} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function effectOf({ effect: { kind, status, delay_ms: delay, copies } }: Pick<FaultRule, 'effect'>): string {
  const about = [status, delay === undefined ? undefined : texts.ms(delay), copies === undefined ? undefined : texts.copies(copies)];
  return [wordsOfEffect(kind), ...about.filter((one) => one !== undefined)].join(' ');
}

function leftOf({ times, fired, rate, until }: FaultRule): string {
  const left = times === undefined ? texts.ofMatches2(Math.round((rate ?? 0) * 100)) : String(times - fired);
  return until === undefined ? left : texts.until(left, until);
}
