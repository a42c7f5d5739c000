import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { mayTakeFocus } from '../../../../core/web/focus.js';
import { type Component, type Fields, fieldsOf } from './definition.js';
import { resolveComponent, type Scope } from './evaluate.js';
import { isEnabled } from './inputs.js';
import type { Inspection } from './inspection.js';
import type { Event } from './session.js';

/** The state and dispatch function that all components of a screen share. */
export interface Stage {
  readonly scope: Scope;
  /** The values of the inputs, as the user entered them. */
  readonly form: Fields;
  readonly problems: ReadonlyMap<string, string>;
  /** The endpoint's errors by input. */
  readonly endpointErrors: ReadonlyMap<string, string>;
  readonly touched: ReadonlySet<string>;
  readonly dispatch: (event: Event) => void;
  /** The level of subheadings: `h3` if a heading precedes them. */
  readonly subheading: 'h2' | 'h3';
  /** Present when an editor frames the preview. */
  readonly inspection: Inspection | undefined;
}

export const StageContext = createContext<Stage | undefined>(undefined);

/** @throws Error outside of a screen, which provides the stage */
export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error('useStage must be called inside a screen');
  return stage;
}

const idOf = (name: string): string => `input-${name.replace(/\W/g, (char) => `-${char.codePointAt(0)}-`)}`;

/** An input with resolved properties, its value and its problem. */
export function useInput(component: Component) {
  const { scope, form, problems, endpointErrors, touched, dispatch } = useStage();
  const name = component.name as string;
  return {
    name,
    id: idOf(name),
    props: resolveComponent(component, scope),
    value: form[name],
    enabled: isEnabled(component, scope),
    /** A choice that calls the endpoint closes its sheet, so that the request is visible. */
    exchangesOnSelect: fieldsOf(component['on-select-action']).name === 'data_exchange',
    problem: endpointErrors.get(name) ?? (touched.has(name) ? problems.get(name) : undefined),
    set: (value: unknown): void => dispatch({ kind: 'set', name, value, input: component }),
    touch: (): void => dispatch({ kind: 'touch', names: [name] }),
  };
}

/** Moves the focus to an input, or to the first one in its group. */
export function focusInput(name: string): void {
  const element = document.getElementById(idOf(name));
  const target = element?.matches('input, textarea, button') ? element : element?.querySelector<HTMLElement>('input, button');
  if (mayTakeFocus()) target?.focus();
}
