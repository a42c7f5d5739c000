import { anyString, array, nullable, object, string } from '#core';
import type { NewTemplate } from '#core/messaging';
import { pageSchema } from '../graph/paging.js';

/** A template as the network lists it: keywords in capitals. */
export interface NetworkTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category?: string | null;
  readonly components?: readonly NetworkComponent[] | null;
}

export interface NetworkComponent {
  readonly type: string;
  readonly format?: string | null;
  readonly text?: string | null;
  readonly buttons?: readonly NetworkButton[] | null;
}

interface NetworkButton {
  readonly type: string;
  readonly text?: string | null;
  readonly url?: string | null;
  readonly phone_number?: string | null;
}

const text = () => nullable(anyString());
const button = object({ type: string() }, { text: text(), url: text(), phone_number: text() }).unknown();
const component = object({ type: string() }, { format: text(), text: text(), buttons: nullable(array(button)) }).unknown();

/** The fields of every template of a list that are read. */
export const listedTemplates = pageSchema(
  object(
    { id: string(), name: string(), language: string(), status: string() },
    { category: text(), components: nullable(array(component)) },
  ),
);

type Component = NewTemplate['components'][number];
type Button = Extract<Component, { type: 'buttons' }>['buttons'][number];

/** Statuses of the network that are not ours. A disabled template can never be sent again, like a rejected one. */
const statuses: Readonly<Record<string, NonNullable<NewTemplate['status']>>> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  FLAGGED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  REJECTED: 'REJECTED',
  DISABLED: 'REJECTED',
  PAUSED: 'PAUSED',
};
/** Any other status, such as IN_APPEAL, means that the template cannot be sent yet. */
export const statusOf = (status: string): NonNullable<NewTemplate['status']> => statuses[status] ?? 'PENDING';

const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const;
const HEADER_FORMATS = ['text', 'image', 'video', 'document', 'location'] as const;
const BUTTON_TYPES = ['quick_reply', 'url', 'phone_number'] as const;
const NAMED = /\{\{\s*([a-z_][a-z0-9_]*)\s*\}\}/g;

/** A template of the network in our form: keywords in lower case, and without the parts that we have no form for, such as carousels. */
export function templateOf({ name, language, status, category, components }: NetworkTemplate): NewTemplate | undefined {
  const ours = (components ?? []).flatMap((component) => componentOf(component) ?? []);
  if (ours.length === 0) return undefined;
  const known = CATEGORIES.find((one) => one === category);
  return { name, language, status: statusOf(status), ...(known && { category: known }), components: ours };
}

/** Components of templates with values that messages of this API cannot have. */
const UNSENDABLE = new Set(['carousel', 'limited_time_offer', 'order_details', 'order_status']);

/** The parts of a template that each message would have to fill, and that messages of this API cannot have. */
export const unsendableParts = ({ components }: NetworkTemplate): string[] =>
  (components ?? []).flatMap(({ type, format }) => {
    const kind = type.toLowerCase();
    if (kind === 'header' && !formatOf(format)) return [`a header of format ${format}`];
    return UNSENDABLE.has(kind) ? [`a component of type ${type}`] : [];
  });

const formatOf = (format: string | null | undefined) => HEADER_FORMATS.find((one) => one === (format ?? 'TEXT').toLowerCase());

function componentOf({ type, format, text, buttons }: NetworkComponent): Component | undefined {
  const kind = type.toLowerCase();
  const shown = numbered(text ?? '');
  if ((kind === 'body' || kind === 'footer') && shown !== '') return { type: kind, text: shown };
  if (kind === 'header') {
    const known = formatOf(format);
    return known && { type: 'header', format: known, ...(known === 'text' && { text: shown }) };
  }
  const known = (buttons ?? []).flatMap((button) => buttonOf(button) ?? []);
  return kind === 'buttons' && known.length > 0 ? { type: 'buttons', buttons: known } : undefined;
}

function buttonOf({ type, text, url, phone_number }: NetworkButton): Button | undefined {
  const known = BUTTON_TYPES.find((one) => one === type.toLowerCase());
  if (!known || !text) return undefined;
  return { type: known, text, ...(url && { url }), ...(phone_number && { phone_number }) };
}

/** The names of the placeholders of a template, in the order of their numbers in our form. */
export function placeholderNames({ components }: NetworkTemplate): { header: string[]; body: string[] } {
  const namesOf = (kind: string): string[] => namesIn((components ?? []).find(({ type }) => type.toLowerCase() === kind)?.text ?? '');
  return { header: namesOf('header'), body: namesOf('body') };
}

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(NAMED)].map(([, name]) => name!))];

/** Named placeholders as numbered ones, which are the only ones that our check counts: `{{name}}` becomes `{{1}}`. */
function numbered(text: string): string {
  const names = namesIn(text);
  return text.replace(NAMED, (_, name: string) => `{{${names.indexOf(name) + 1}}}`);
}
