import Joi from 'joi';

type Description = Joi.Description & { readonly keys?: Record<string, Description>; readonly items?: readonly Description[] };
type Path = readonly (string | number)[];

/** A refusal in which every key that the schema does not name is told beside those that it does. */
export function withKnownKeys(schema: Joi.Schema, error: unknown): unknown {
  if (!Joi.isError(error) || error.details.every(({ type }) => type !== 'object.unknown')) return error;
  const description: Description = schema.describe();
  const details = error.details.map((detail) =>
    detail.type === 'object.unknown' ? { ...detail, message: sentenceOf(description, detail.path) } : detail,
  );
  return new Joi.ValidationError(details.map(({ message }) => message).join('; '), details, error._original);
}

function sentenceOf(whole: Description, path: Path): string {
  const around = path.slice(0, -1);
  const known = keysAt(whole, around);
  const place = around.length === 0 ? String((whole.flags as { label?: string } | undefined)?.label) : written(around);
  const unknown = `${written(path)} is not known`;
  return known ? `${unknown}: ${place} takes ${known.join(', ') || 'nothing'}` : unknown;
}

/** Undefined where it depends on what else was given. */
function keysAt(whole: Description, path: Path): readonly string[] | undefined {
  let at: Description | undefined = whole;
  for (const step of path) at = typeof step === 'number' ? onlyItem(at) : at?.keys?.[step];
  return at?.type === 'object' ? Object.keys(at.keys ?? {}) : undefined;
}

const onlyItem = (of: Description | undefined): Description | undefined => (of?.items?.length === 1 ? of.items[0] : undefined);

/** As joi writes it: `media[0].link`. */
const written = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
