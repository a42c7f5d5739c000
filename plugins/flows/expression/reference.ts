/** A value of a screen: `${data.x}`, `${form.x}`, `${screen.ID.data.x}`, `${screen.ID.form.x}`. */
export interface Reference {
  /** Another screen; absent for the screen on which the reference stands. */
  readonly screen?: string;
  readonly source: 'data' | 'form';
  /** The name of a field or input and, behind dots, what is inside it. Names may hold dots themselves. */
  readonly path: string;
}

const GRAMMAR = /^\$\{(?:screen\.([^.{}]+)\.)?(data|form)\.([^{}]+)\}$/;
const ONE = /\$\{(?:data|form|screen)\.[^{}]*\}/;

/** A text that is one reference and nothing else. */
export function parseReference(text: string): Reference | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [, screen, source, path] = match;
  if (path!.split('.').some((segment) => segment.trim() === '')) return undefined;
  return { ...(screen !== undefined && { screen }), source: source as Reference['source'], path: path! };
}

/** Whether a text begins and ends as a reference does, well formed or not. */
export const looksLikeReference = (text: string): boolean => text.startsWith('${') && text.indexOf('}') === text.length - 1;

/** Whether there is a reference somewhere in a text. */
export const holdsReference = (text: string): boolean => ONE.test(text);

/** Whether a text is an expression: wrapped in backticks as a whole. */
export const isExpression = (text: string): boolean => text.length >= 2 && text.startsWith('`') && text.endsWith('`');
