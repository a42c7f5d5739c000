// Lets hapi do once what it does for each of the 200 routes of each platform with the same result: this takes half off the CPU time of
// a start, and tests start many. Processes that tests start, such as the sandbox, do without it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const config = require('@hapi/hapi/lib/config.js');
const hoek = require('@hapi/hoek');

const { apply } = config;
const checked = new Set();
/** Whether a platform mounts the route: its own ones, and those for paths that do not exist. */
const isOurs = ({ posthorn, yar } = {}) => posthorn !== undefined || yar?.skip === true;
/** The only keys of the plugins and extensions that a platform registers, whose other settings have the defaults. */
const hasOnly = (value, keys) => Object.keys(value ?? {}).every((key) => keys.includes(key));
const registered = apply('plugin', { plugin: { name: 'any', register: () => undefined } });

/** Checks a route when the first platform mounts it. The check changes nothing: its settings have the defaults of the server by then. */
config.apply = (type, value, ...place) => {
  const settings = type === 'route' ? value.options : value;
  if (type.startsWith('route') && isOurs(settings?.plugins)) {
    const key = `${type} ${place.join(' ')}`;
    const result = checked.has(key) ? value : apply(type, value, ...place);
    checked.add(key);
    return result;
  }
  if (type === 'handler' && typeof value === 'function') return value;
  if (type === 'exts' && typeof value.method === 'function' && (value.options === undefined || value.options.sandbox === 'plugin'))
    if (hasOnly(value.options, ['sandbox'])) return [{ ...value, method: [value.method], options: value.options ?? {} }];
  if (type === 'plugin' && hasOnly(value, ['plugin']) && hasOnly(value.plugin, ['name', 'register']))
    return { ...registered, plugin: { ...registered.plugin, ...value.plugin } };
  return apply(type, value, ...place);
};

const { applyToDefaults, merge } = hoek;
const isPlain = (value) => value?.constructor === Object;
const isEmpty = (value) => value === undefined || (isPlain(value) && Object.values(value).every(isEmpty));
const copyOf = (value) => {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlain(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key]);
  return copy;
};
/** Settings with objects that hapi does not copy, which only hosts have. */
const hasUncopied = ({ bind, validate }) => Boolean(bind ?? validate?.validator);
/**
 * Merges the settings of the server and of a route without a copy for each level between them that has none, and copies plain objects
 * only: that of hoek, which copies anything, takes ten times as long.
 */
hoek.applyToDefaults = (defaults, source, options) => {
  if (!options?.shallow?.includes('validate.params')) return applyToDefaults(defaults, source, options);
  if (isEmpty(source)) return defaults;
  if (hasUncopied(defaults) || hasUncopied(source)) return applyToDefaults(defaults, source === defaults ? true : source, options);
  const copy = copyOf(defaults);
  if (source === defaults) return copy;
  for (const part of ['headers', 'params', 'payload', 'query', 'state'])
    if (source.validate?.[part] && typeof source.validate[part] === 'object') copy.validate[part] = source.validate[part];
  return merge(copy, source, { nullOverride: false, mergeArrays: false });
};
