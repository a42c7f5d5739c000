/** A value of a screen: `${data.x}`, `${form.x}`, `${screen.ID.data.x}`, `${screen.ID.form.x}`. */
export interface Reference {
  /** Another screen; absent for the screen that contains the reference. */
  readonly screen?: string;
  readonly source: 'data' | 'form';
  /** The name of a field or input, optionally followed by `.property`. Names may contain dots themselves. */
  readonly path: string;
}

const GRAMMAR = /^\$\{(?:screen\.([^.{}]+)\.)?(data|form)\.([^{}]+)\}$/;
const ANYWHERE = /\$\{(?:data|form|screen)\.[^{}]*\}/;

/** Parses a text that consists of one reference; undefined if it does not. */
export function parseReference(text: string): Reference | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [, screen, source, path] = match;
  if (path!.split('.').some((segment) => segment.trim() === '')) return undefined;
  return { ...(screen !== undefined && { screen }), source: source as Reference['source'], path: path! };
}

/** Whether a text has the form `${…}`, whether or not the reference is valid. */
export const looksLikeReference = (text: string): boolean => text.startsWith('${') && text.indexOf('}') === text.length - 1;

export const containsReference = (text: string): boolean => ANYWHERE.test(text);

/** Whether a text is an expression, in backticks from the first to the last character. */
export const isExpression = (text: string): boolean => text.length >= 2 && text.startsWith('`') && text.endsWith('`');
