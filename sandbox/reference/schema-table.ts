import { attribute, type Html, html, prose, text } from './html.js';
import { nameOf, type Schema } from './open-api.js';

/** The fields of a schema as a table: nested objects are indented, named schemas are linked. */
export function schemaTable(schema: Schema): Html {
  const rows = rowsOf(schema, 0);
  const kind = html`<p class=kind>${typeOf(schema)}${limitsOf(schema)}</p>`;
  if (rows.length === 0) return kind;
  const hasNotes = rows.some((row) => String(row).split('<td').length > 3);
  return html`${isPlainObject(schema) ? undefined : kind}<table><tr><th>Field<th>Type${hasNotes && html`<th>Notes`}${rows}</table>`;
}

const isPlainObject = ({ type, description }: Schema): boolean => type === 'object' && description === undefined;

function rowsOf(schema: Schema, depth: number): Html[] {
  const {
    properties = {},
    required = [],
    additionalProperties,
    patternProperties = {},
    propertyNames,
    allOf = [],
    anyOf,
    oneOf,
    items,
  } = schema;
  const described = new Set(allOf.flatMap((part) => [...conditional(part)]));
  const fields = Object.entries(properties)
    // The conditions below describe it.
    .filter(([name, field]) => Object.keys(field).length > 0 || !described.has(name))
    .flatMap(([name, field]) => fieldRows(html`${name}`, field, required.includes(name), depth));
  const others = [
    ...Object.entries(patternProperties).flatMap(([pattern, field]) =>
      fieldRows(html`keys like <code>${text(pattern)}</code>`, field, true, depth),
    ),
    ...(typeof additionalProperties === 'object' ? fieldRows(html`any key${keyOf(propertyNames)}`, additionalProperties, true, depth) : []),
  ];
  // Next to a type, these keywords limit that type further.
  const choices =
    nameOf(schema) === undefined && schema.type === undefined
      ? [...(anyOf ?? []), ...(oneOf ?? [])].filter((choice) => rowsOf(choice, 0).length > 0)
      : [];
  return [
    ...fields,
    ...others,
    ...allOf.flatMap((part) => conditionRows(part, depth, required)),
    ...choices.flatMap((choice, i) => [note(i === 0 ? 'either' : 'or', depth), ...rowsOf(choice, depth)]),
    ...(items && nameOf(items) === undefined ? rowsOf(items, depth) : []),
  ];
}

const keyOf = (names: Schema | undefined): Html => (names ? html` (${limitsOf(names)})` : html``);

function fieldRows(name: Html, field: Schema, isRequired: boolean, depth: number): Html[] {
  const shown = isRequired ? field : withoutNull(field);
  const about = [shown.description === undefined ? '' : prose(shown.description), limitsOf(shown)].filter((part) => String(part) !== '');
  return [
    html`<tr><td${indented(depth)}>${name}${!isRequired && '?'}<td>${typeOf(shown)}${about.length > 0 && html`<td>`}${about.map((part, i) => html`${i > 0 && (shown.description?.endsWith('.') ? ' ' : '; ')}${part}`)}`,
    ...(nameOf(shown) === undefined ? rowsOf(shown, depth + 1) : []),
  ];
}

/** An optional field may also be null. The page says so once, so `null` is not shown for each such field. */
function withoutNull(field: Schema): Schema {
  const { type, enum: values, anyOf } = field;
  const choices = anyOf?.filter((choice) => choice.type !== 'null');
  if (choices?.length === 1) return { ...field, anyOf: undefined, ...choices[0] } as Schema;
  return {
    ...field,
    ...(Array.isArray(type) && { type: type.filter((one) => one !== 'null') }),
    ...(values && { enum: values.filter((value) => value !== null) }),
    ...(choices && { anyOf: choices }),
  };
}

const indented = (depth: number): Html | undefined => (depth === 0 ? undefined : html` class=d${Math.min(depth, 6)}`);

const note = (title: string | Html, depth: number): Html => html`<tr class=note><td colspan=3${indented(depth)}>${title}`;

/** The names of fields that a condition describes. */
function* conditional({ then, else: otherwise, properties = {} }: Schema): Iterable<string> {
  yield* Object.keys(properties);
  for (const branch of [then, otherwise]) if (branch) yield* conditional(branch);
}

function conditionRows(part: Schema, depth: number, required: readonly string[]): Html[] {
  if (!part.if) {
    const relation = relationOf(part);
    return relation === undefined ? rowsOf(part, depth) : [note(relation, depth)];
  }
  const branch = (title: Html, schema: Schema | undefined): Html[] => {
    if (!schema) return [];
    if (schema.if) return conditionRows(schema, depth, required);
    const rows = rowsOf({ ...schema, required: [...required, ...(schema.required ?? [])] }, depth + 1);
    return rows.length > 0 ? [note(title, depth), ...rows] : [];
  };
  return [...branch(html`if ${conditionOf(part.if)}`, part.then), ...branch(html`otherwise`, part.else)];
}

const conditionOf = ({ properties = {}, required = [] }: Schema): Html =>
  html`${Object.entries(properties).map(([name, { enum: values, pattern, anyOf }], i) => {
    const all = values ?? anyOf?.flatMap((choice) => choice.enum ?? []) ?? [];
    const isAbsent = !required.includes(name);
    const words = all.filter((value) => value !== null).map((value, j) => html`${j > 0 && ' or '}<code>${value}</code>`);
    return html`${i > 0 && ' and '}<code>${name}</code> is ${words.length > 0 ? words : html`like <code>${text(pattern ?? '')}</code>`}${isAbsent && ' or absent'}`;
  })}`;

/** Which fields need or exclude each other; undefined for other parts. */
function relationOf({ oneOf, anyOf, not, properties }: Schema): Html | undefined {
  if (properties) return undefined;
  const names = (schemas: readonly Schema[]): Html[] | undefined => {
    const all = schemas.flatMap(({ required = [] }) => required);
    return all.length === schemas.length ? all.map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`) : undefined;
  };
  const exactly = oneOf && names(oneOf);
  if (exactly) return html`exactly one of ${exactly}`;
  const some = anyOf && names(anyOf);
  if (some) return html`at least one of ${some}`;
  const [, only] = anyOf ?? [];
  const upToOne = only?.oneOf && names(only.oneOf);
  if (upToOne) return html`at most one of ${upToOne}`;
  const never = not?.allOf && names(not.allOf);
  return never ? html`not all of ${never}` : undefined;
}

/** The type of a value, for display: `string`, `array of Number`, `Number or null`. */
function typeOf(schema: Schema): Html {
  const { type, items, anyOf, oneOf, enum: values } = schema;
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href=${attribute(`#schema-${name}`)}>${name}</a>`;
  const types = [type ?? []].flat().map((one) => (one === 'array' && items ? html`array of ${typeOf(items)}` : html`${one}`));
  const choices = [...(anyOf ?? []), ...(oneOf ?? [])].filter((choice) => choice.type ?? choice.$ref ?? choice.anyOf).map(typeOf);
  const all = unique(types.length > 0 ? types : choices);
  if (all.length > 0) return html`${all.map((one, i) => html`${i > 0 && ' or '}${one}`)}`;
  return values || schema.if ? html`value` : html`any`;
}

const unique = (all: readonly Html[]): Html[] => [...new Map(all.map((one) => [String(one), one])).values()];

/** Further rules of a value: allowed values, lengths, limits, patterns. */
function limitsOf(schema: Schema): Html {
  const {
    enum: values,
    format,
    pattern,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    uniqueItems,
    items,
    minProperties,
    maxProperties,
  } = schema;
  const parts = [
    values &&
      html`${values.length > 1 ? 'one of' : 'always'} <code>${text(values.map((value) => JSON.stringify(value)).join(', '))}</code>`,
    format && html`format ${format}`,
    pattern === '\\S' && 'not blank',
    pattern !== undefined && pattern !== '\\S' && html`pattern <code>${text(pattern)}</code>`,
    range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, 'characters'),
    range(safe(minimum), safe(maximum), ''),
    range(minItems, maxItems, 'items'),
    range(minProperties, maxProperties, 'keys'),
    uniqueItems && html`no duplicates`,
    items && nameOf(items) === undefined && String(limitsOf(items)) !== '' && html`each ${limitsOf(items)}`,
    schema.default !== undefined && html`default <code>${text(JSON.stringify(schema.default))}</code>`,
  ].filter((part) => part !== undefined && part !== false && part !== '');
  return html`${parts.map((part, i) => html`${i > 0 && '; '}${part}`)}`;
}

const safe = (limit: number | undefined): number | undefined =>
  limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;

function range(from: number | undefined, to: number | undefined, unit: string): Html | undefined {
  if (from === undefined && to === undefined) return undefined;
  const words = from === undefined ? `at most ${to}` : to === undefined ? `at least ${from}` : from === to ? `${to}` : `${from} to ${to}`;
  return html`${words} ${to === 1 && (from ?? 1) === 1 ? unit.replace(/s$/, '') : unit}`;
}
