// Lets hapi do once what it does for each of the 200 routes of each platform with the same result: this takes a third off the CPU time of
// a start, and tests start many. Processes that tests start, such as the sandbox, do without it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const config = require('@hapi/hapi/lib/config.js');
const hoek = require('@hapi/hoek');

const { apply } = config;
const checked = new Set();
/** Checks a route when the first platform mounts it. The check changes nothing: its settings have the defaults of the server by then. */
config.apply = (type, value, ...place) => {
  const settings = type === 'route' ? value.options : value;
  if (!type.startsWith('route') || !settings?.plugins?.posthorn) return apply(type, value, ...place);
  const key = `${type} ${place.join(' ')}`;
  if (checked.has(key)) return value;
  const result = apply(type, value, ...place);
  checked.add(key);
  return result;
};

const { applyToDefaults } = hoek;
const isEmpty = (value) => value === undefined || (value?.constructor === Object && Object.values(value).every(isEmpty));
/** Merges the settings of the server and of a route without a copy for each level between them that has none. */
hoek.applyToDefaults = (defaults, source, options) => {
  const isOfRoute = options?.shallow?.includes('validate.params');
  return isOfRoute && isEmpty(source) ? defaults : applyToDefaults(defaults, isOfRoute && source === defaults ? true : source, options);
};
