/** A JSON object of a flow. The flow may be invalid, so all types are checked when read. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Component extends Fields {
  readonly type: string;
}

export interface ComponentProps {
  readonly component: Component;
}

export interface Screen {
  readonly id: string;
  readonly title: unknown;
  readonly terminal: boolean;
  /** `refresh_on_back`: going back calls the endpoint for the previous screen. */
  readonly refreshesOnBack: boolean;
  readonly data: Fields;
  readonly children: readonly Component[];
  readonly sensitive: readonly string[];
}

export interface FlowModel {
  readonly screens: ReadonlyMap<string, Screen>;
  /** The first screen. */
  readonly entry: string | undefined;
  readonly dataApiVersion: string | undefined;
  /** The screens to which a response of the endpoint may lead, by screen. */
  readonly routes: Readonly<Record<string, readonly string[]>>;
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const shownText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean' || value instanceof UndeclaredText
      ? String(value)
      : '';

/** A text with references to fields or inputs that the flow does not declare. */
export class UndeclaredText {
  /** Texts, and undeclared references in their source form `${data.x}`. */
  readonly parts: readonly (string | { readonly reference: string })[];

  constructor(parts: UndeclaredText['parts']) {
    this.parts = parts;
  }

  toString(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.reference)).join('');
  }
}

const isComponent = (value: unknown): value is Component => isFields(value) && typeof value.type === 'string';
export const componentsOf = (value: unknown): readonly Component[] => listOf(value).filter(isComponent);

/** Undefined for a text that is not JSON; the panel of errors says so. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** @param entries the entry screens that the validator found */
export function readFlow(json: unknown, entries: readonly string[]): FlowModel {
  const { screens, data_api_version, routing_model } = fieldsOf(json);
  const all = listOf(screens)
    .filter(isFields)
    .filter(({ id }) => typeof id === 'string' && id !== '')
    .map((screen): [string, Screen] => [
      screen.id as string,
      {
        id: screen.id as string,
        title: screen.title,
        terminal: screen.terminal === true,
        refreshesOnBack: screen.refresh_on_back === true,
        data: fieldsOf(screen.data),
        children: componentsOf(fieldsOf(screen.layout).children),
        sensitive: listOf(screen.sensitive).filter((name) => typeof name === 'string'),
      },
    ]);
  const known = new Map(all);
  const routes = Object.entries(fieldsOf(routing_model)).map(([from, to]) => [
    from,
    listOf(to)
      .map(shownText)
      .filter((id) => known.has(id)),
  ]);
  return {
    screens: known,
    entry: entries.find((id) => known.has(id)) ?? all[0]?.[0],
    dataApiVersion: typeof data_api_version === 'string' ? data_api_version : undefined,
    routes: Object.fromEntries(routes),
  };
}

/** All components on a screen, including those in branches that are not shown. */
export function everyComponent(components: readonly Component[]): Component[] {
  return components.flatMap((component) => [component, ...branchesOf(component).flatMap(everyComponent)]);
}

function branchesOf(component: Component): (readonly Component[])[] {
  if (component.type === 'Form') return [componentsOf(component.children)];
  if (component.type === 'If') return [componentsOf(component.then), componentsOf(component.else)];
  if (component.type === 'Switch') return Object.values(fieldsOf(component.cases)).map(componentsOf);
  return [];
}
