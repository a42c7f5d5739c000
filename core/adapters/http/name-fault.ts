const MAX_NAME = 253;
const MAX_LABEL = 63;

/** Why no host can have this name, so that the client need not look it up; undefined if one can. */
export function nameFault(host: string): string | undefined {
  const name = host.replace(/\.$/, '');
  const labels = name.split('.');
  if (labels.includes('')) return `the host name ${host} has two dots in a row, or begins with one`;
  if (labels.some((label) => label.length > MAX_LABEL)) return `a part of the host name is longer than ${MAX_LABEL} characters`;
  if (name.length > MAX_NAME) return `the host name is longer than ${MAX_NAME} characters`;
  // Resolvers disagree about it, and some report a failure that looks temporary.
  return /(^|\.)localhost\.$/i.test(host) ? `the host ${host} does not exist; write ${name}, without the dot at its end` : undefined;
}
