import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Component, Fields } from './definition.js';
import { resolve, type Scope } from './evaluate.js';
import { isEnabled } from './inputs.js';
import type { Event } from './session.js';

/** What every component of a screen can see and do. */
export interface Stage {
  readonly scope: Scope;
  /** What the inputs hold, as it was written. */
  readonly form: Fields;
  readonly problems: ReadonlyMap<string, string>;
  readonly touched: ReadonlySet<string>;
  readonly dispatch: (event: Event) => void;
  /** The level of subheadings: below a heading, if the screen begins with one. */
  readonly subheading: 'h2' | 'h3';
}

export const StageContext = createContext<Stage>(undefined as never);
export const useStage = (): Stage => useContext(StageContext);

/** An input as it stands: its properties with references resolved, its value, and what to say of it. */
export function useInput(component: Component) {
  const { scope, form, problems, touched, dispatch } = useStage();
  const name = component.name as string;
  return {
    name,
    id: `input-${name.replace(/\W/g, (char) => `-${char.codePointAt(0)}-`)}`,
    props: resolve(component, scope) as Component,
    value: form[name],
    enabled: isEnabled(component, scope),
    problem: touched.has(name) ? problems.get(name) : undefined,
    set: (value: unknown): void => dispatch({ kind: 'set', name, value, input: component }),
    touch: (): void => dispatch({ kind: 'touch', names: [name] }),
  };
}
