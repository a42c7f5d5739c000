import { useId } from 'preact/hooks';
import type { Journey } from '../records.js';
import type { Setup } from './setup.js';
import type { Simulator } from './simulation.js';
import { texts } from './texts.js';

const REVISIONS = { draft: texts.savedDraft, staging: texts.staging, production: texts.production } as const;

/** Revision, contact, parent and child of the next start. */
export function StartForm({ simulator: { setup, end }, journey }: { simulator: Simulator; journey: Journey }) {
  const id = useId();
  const change = (part: Partial<Setup>): void => {
    setup.value = { ...setup.value, ...part };
  };
  return (
    <div class="sim-forms">
      {end.value !== undefined && <p class="quiet">{texts.appliesOnStart}</p>}
      <div class="field">
        <label for={id}>{texts.revision}</label>
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
      <JsonArea label={texts.contact} value={setup.value.contact} set={(contact) => change({ contact })} note={texts.contactNote} />
      <JsonArea label={texts.parent} value={setup.value.parent} set={(parent) => change({ parent })} note={texts.parentNote} />
      <JsonArea label={texts.child} value={setup.value.child} set={(child) => change({ child })} note={texts.childNote} />
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
