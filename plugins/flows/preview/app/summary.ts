import { type Component, type Fields, fieldsOf, listOf, type Screen, shownText } from './definition.js';
import { resolve, type Scope } from './evaluate.js';
import { shownComponents } from './inputs.js';
import { texts } from './texts.js';

/** The label and value of an input, for display. */
export interface SummaryLine {
  readonly label: string;
  readonly value: string;
}

/** A screen with the values of its inputs. */
export interface FilledScreen {
  readonly screen: Screen;
  readonly scope: Scope;
  readonly form: Fields;
}

const DOTS = '••••••••';

/** The summary that the phone shows of a completed flow. Sensitive values are masked; passwords and files are left out. */
export function summaryOf(screens: readonly FilledScreen[]): readonly SummaryLine[] {
  return screens.flatMap(({ screen, scope, form }) =>
    shownComponents(screen.children, scope)
      .filter(({ name }) => typeof name === 'string' && Object.hasOwn(form, name))
      .map((input) => resolve(input, scope) as Component & { name: string })
      .flatMap((input) => {
        const { type, name } = input;
        const isSecret = ['password', 'passcode'].includes(shownText(input['input-type']));
        if (isSecret || type === 'PhotoPicker' || type === 'DocumentPicker') return [];
        const value = shownValue(input, form[name]);
        if (value === '') return [];
        const isMasked = screen.sensitive.includes(name) && type !== 'OptIn';
        return [{ label: labelOf(input), value: isMasked ? DOTS : value }];
      }),
  );
}

/** The label of an input; for a range, its title or both labels. */
export function labelOf({ label, title, name }: Component): string {
  if (typeof label === 'string') return label;
  const pair = fieldsOf(label);
  return shownText(title) || [pair['start-date'], pair['end-date']].map(shownText).filter(Boolean).join(' – ') || shownText(name);
}

function shownValue(input: Component, value: unknown): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  const titles = new Map([
    ...listOf(input['data-source'])
      .map(fieldsOf)
      .map(({ id, title }) => [id, shownText(title)] as const),
    ...listOf(input['list-items'])
      .map(fieldsOf)
      .map((item) => [item.id, shownText(fieldsOf(item['main-content']).title)] as const),
  ]);
  const titleOf = (id: unknown): string => titles.get(id) || shownText(id);
  if (Array.isArray(value)) return value.map(titleOf).join(', ');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(shownText).filter(Boolean).join(' – ');
  return titleOf(value);
}
