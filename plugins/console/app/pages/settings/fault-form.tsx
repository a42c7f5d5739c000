import { useId, useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import type { Action } from '../../components/copy.js';
import { wordsOfEffect } from '../../components/fault-texts.js';
import { quoted } from '../../components/shell-words.js';
import { texts } from './texts.js';

export type Targets = Readonly<Record<string, { readonly effects: readonly string[]; readonly match: readonly string[] }>>;

export const targetNames: Readonly<Record<string, string>> = {
  deliveries: texts.deliveriesToWebhooksAnd,
  api: texts.callsOfTheApi,
  journeys: texts.httpRequestsOfJourneys,
  models: texts.callsOfAiModels,
  integrations: texts.callsToIntegrations,
  store: texts.theDisk,
};
const DEFAULTS: Readonly<Record<string, string>> = { status: '500', delay_ms: '6000', copies: '1', window_ms: '5000' };
/** The field of each effect that has one. */
const FIELDS: Readonly<Record<string, readonly [field: string, label: string]>> = {
  status: ['status', texts.status],
  delay: ['delay_ms', texts.milliseconds],
  duplicate: ['copies', texts.moreCopies],
  reorder: ['window_ms', texts.millisecondsOfDelay],
};
const FLAGS: Readonly<Record<string, (value: string) => string>> = {
  status: (value) => `--status ${value}`,
  delay: (value) => `--delay ${value}ms`,
  duplicate: (value) => `--effect duplicate --copies ${value}`,
  reorder: (value) => `--effect reorder --window ${value}ms`,
};

/** Adds a fault rule for any target. */
export function FaultForm({ targets, done }: { targets: Targets; done: () => void }) {
  const id = useId();
  const names = Object.keys(targets);
  const [where, setWhere] = useState(names[0] ?? 'deliveries');
  const [chosen, setChosen] = useState('status');
  const [value, setValue] = useState(DEFAULTS.status!);
  const [field, setField] = useState('');
  const [wanted, setWanted] = useState('');
  const [mode, setMode] = useState<'times' | 'rate'>('times');
  const [times, setTimes] = useState('2');
  const [rate, setRate] = useState('0.5');
  const { effects, match } = targets[where] ?? { effects: [], match: [] };
  const kind = effects.includes(chosen) ? chosen : (effects[0] ?? 'status');
  const own = FIELDS[kind];
  const matched = match.includes(field) ? field : '';
  const action: Action = {
    method: 'POST',
    path: '/faults',
    payload: {
      where,
      effect: { kind, ...(own && { [own[0]]: Number(value) }) },
      ...(matched !== '' && wanted !== '' && { match: { [matched]: wanted } }),
      ...(mode === 'times' ? { times: Number(times) } : { rate: Number(rate) }),
    },
    command: [
      `posthorn fault add --on ${where}`,
      FLAGS[kind]?.(value) ?? `--effect ${kind}`,
      ...(matched !== '' && wanted !== '' ? [`--match ${quoted(`${matched}=${wanted}`)}`] : []),
      mode === 'times' ? `--times ${times}` : `--rate ${rate}`,
    ].join(' '),
  };
  const choose = (next: string): void => {
    setChosen(next);
    const name = FIELDS[next]?.[0];
    if (name !== undefined) setValue(DEFAULTS[name]!);
  };
  return (
    <ActForm label={texts.addAFault} verb={texts.addTheFault} action={action} done={done}>
      <div class="field">
        <label for={`${id}-where`}>{texts.on}</label>
        <select id={`${id}-where`} class="select" data-first value={where} onChange={({ currentTarget }) => setWhere(currentTarget.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {targetNames[name] ?? name}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-kind`}>{texts.effect}</label>
        <select id={`${id}-kind`} class="select" value={kind} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {effects.map((one) => (
            <option key={one} value={one}>
              {wordsOfEffect(one)}
            </option>
          ))}
        </select>
      </div>
      {own && <Field label={own[1]} type="number" value={value} set={setValue} />}
      <div class="field">
        <label for={`${id}-match`}>{texts.onlyWhere}</label>
        <select id={`${id}-match`} class="select" value={matched} onChange={({ currentTarget }) => setField(currentTarget.value)}>
          <option value="">{texts.everything}</option>
          {match.map((one) => (
            <option key={one} value={one}>
              {one} {one === 'contains' ? texts.aText : texts.is}
            </option>
          ))}
        </select>
      </div>
      {matched !== '' && <Field label={texts.valueOf(matched)} value={wanted} set={setWanted} />}
      <div class="field">
        <label for={`${id}-mode`}>{texts.howOften}</label>
        <select id={`${id}-mode`} class="select" value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value as typeof mode)}>
          <option value="times">{texts.aNumberOfTimes}</option>
          <option value="rate">{texts.withAProbability}</option>
        </select>
      </div>
      {mode === 'times' ? (
        <Field label={texts.times} type="number" value={times} set={setTimes} />
      ) : (
        <Field label={texts.probabilityFrom0To1} value={rate} set={setRate} note={texts.theSameSeedGivesThe} />
      )}
    </ActForm>
  );
}
