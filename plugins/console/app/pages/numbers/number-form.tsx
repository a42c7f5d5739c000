import { useState } from 'preact/hooks';
import { ActForm, Field } from '../../components/act.js';
import type { NumberRecord } from '../../data/records.js';
import { texts } from './texts.js';

const PRESETS = {
  network: {
    title: texts.numberOfTheNetwork2,
    note: texts.forMessagesOverThe,
  },
  sandbox: { title: texts.sandboxNumber, note: texts.aNumberOfTheNetwork },
} as const;
type Preset = keyof typeof PRESETS;
const presets = Object.keys(PRESETS) as Preset[];

/** Creates a number of the messaging network. */
export function NumberForm({ done, taken }: { done: (number: NumberRecord) => void; taken: readonly NumberRecord[] }) {
  const [kind, setKind] = useState<Preset>('network');
  const [address, setAddress] = useState(() => freeAddress(taken));
  const [name, setName] = useState(texts.myService);
  return (
    <ActForm<{ number: NumberRecord }>
      label={texts.createANumber}
      verb={texts.createNumber}
      action={{ method: 'POST', path: '/numbers', payload: { kind, address, name } }}
      done={({ number }) => done(number)}
    >
      <fieldset class="field presets">
        <legend>{texts.kind}</legend>
        {presets.map((preset) => (
          <label key={preset} class="preset">
            <input type="radio" name="kind" checked={kind === preset} onChange={() => setKind(preset)} />
            <span>
              <strong>{PRESETS[preset].title}</strong>
              <small class="quiet">{PRESETS[preset].note}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label={texts.address} value={address} set={setAddress} note={texts.anInternationalPhoneNumber} />
      <Field label={texts.name} value={name} set={setName} />
    </ActForm>
  );
}

/** An example address that no number has. */
function freeAddress(taken: readonly NumberRecord[]): string {
  for (let n = 1; ; n++) {
    const address = `2760000${String(n).padStart(4, '0')}`;
    if (!taken.some((number) => number.address === address)) return `+${address}`;
  }
}
