import { useId } from 'preact/hooks';
import type { Journey } from '../records.js';
import type { Setup } from './setup.js';
import type { Simulator } from './simulation.js';

const REVISIONS = { draft: 'Saved draft', staging: 'Staging', production: 'Production' } as const;

/** Revision, contact, parent and child of the next start. */
export function StartForm({ simulator: { setup, end }, journey }: { simulator: Simulator; journey: Journey }) {
  const id = useId();
  const change = (part: Partial<Setup>): void => {
    setup.value = { ...setup.value, ...part };
  };
  return (
    <div class="sim-forms">
      {end.value !== undefined && <p class="quiet">Changes here take effect when you start again.</p>}
      <div class="field">
        <label for={id}>Revision</label>
        <select
          id={id}
          class="select"
          value={setup.value.revision}
          onChange={({ currentTarget }) => change({ revision: currentTarget.value as Setup['revision'] })}
        >
          {(Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])
            .filter((name) => name === 'draft' || journey.revisions[name] !== null)
            .map((name) => (
              <option key={name} value={name}>
                {REVISIONS[name]}
              </option>
            ))}
        </select>
      </div>
      <JsonArea
        label="Contact"
        value={setup.value.contact}
        set={(contact) => change({ contact })}
        note="Fields of the contact; null clears one."
      />
      <JsonArea
        label="Parent"
        value={setup.value.parent}
        set={(parent) => change({ parent })}
        note="As if another journey had called this one."
      />
      <JsonArea label="Child" value={setup.value.child} set={(child) => change({ child })} note="As if a called journey had returned." />
    </div>
  );
}

interface JsonAreaProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly note: string;
  readonly rows?: number;
}

/** A JSON text, with the mistake in it. */
export function JsonArea({ label, value, set, note, rows = 4 }: JsonAreaProps) {
  const id = useId();
  const problem = problemOf(value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="area mono"
        rows={rows}
        spellcheck={false}
        dir="auto"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      <small id={`${id}-note`} class={problem === undefined ? '' : 'act-error'}>
        {problem ?? note}
      </small>
    </div>
  );
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
