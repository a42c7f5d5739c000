import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Component, type Fields, fieldsOf } from './definition.js';
import { resolveComponent, type Scope } from './evaluate.js';
import { isEnabled } from './inputs.js';
import type { Event } from './session.js';

/** What every component of a screen can see and do. */
export interface Stage {
  readonly scope: Scope;
  /** What the inputs hold, as it was written. */
  readonly form: Fields;
  readonly problems: ReadonlyMap<string, string>;
  /** What the endpoint refuses. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly touched: ReadonlySet<string>;
  readonly dispatch: (event: Event) => void;
  /** The level of subheadings: below a heading, if the screen begins with one. */
  readonly subheading: 'h2' | 'h3';
}

export const StageContext = createContext<Stage | undefined>(undefined);

/** @throws Error outside of a screen, which provides the stage */
export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error('a component stands outside of a screen');
  return stage;
}

const idOf = (name: string): string => `input-${name.replace(/\W/g, (char) => `-${char.codePointAt(0)}-`)}`;

/** An input with its references resolved, its value, and what is wrong with it. */
export function useInput(component: Component) {
  const { scope, form, problems, refusals, touched, dispatch } = useStage();
  const name = component.name as string;
  return {
    name,
    id: idOf(name),
    props: resolveComponent(component, scope),
    value: form[name],
    enabled: isEnabled(component, scope),
    /** A choice that asks the endpoint closes its sheet, so that the answer is seen. */
    asksOnSelect: fieldsOf(component['on-select-action']).name === 'data_exchange',
    problem: refusals.get(name) ?? (touched.has(name) ? problems.get(name) : undefined),
    set: (value: unknown): void => dispatch({ kind: 'set', name, value, input: component }),
    touch: (): void => dispatch({ kind: 'touch', names: [name] }),
  };
}

/** Moves the focus to an input, or to the first one in its group. */
export function focusInput(name: string): void {
  const element = document.getElementById(idOf(name));
  const target = element?.matches('input, textarea, button') ? element : element?.querySelector<HTMLElement>('input, button');
  target?.focus();
}
