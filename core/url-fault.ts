const ASCII_RULE = 'must be written in ASCII: its host as punycode (xn--…), the rest percent-encoded (%C3%A4)';
const MAX_PORT = 65_535;

/** The fault of a text that should be a URL of http or https, as text that follows its name; undefined if only its scheme is wrong. */
export function urlFault(url: string): string | undefined {
  if (url.trim() !== url) return 'must have no space before or after it';
  if (!/^https?:/i.test(url)) return undefined;
  if (!/^https?:/.test(url)) return 'must begin with http: or https: in lower case';
  // Browsers convert such URLs; other clients may not.
  if (/\P{ASCII}/u.test(url) && URL.canParse(url)) return ASCII_RULE;
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/s.exec(url) ?? [];
  if (authority === undefined) return 'must have two slashes and a host after http: or https:';
  return faultOfHost(authority) ?? faultOfRest(rest);
}

function faultOfHost(authority: string): string | undefined {
  const port = /:([^:\]]*)$/.exec(authority)?.[1];
  if (port && !(Number(port) <= MAX_PORT)) return `must have a port of at most ${MAX_PORT}`;
  return URL.canParse(`http://${authority}/`) ? undefined : 'must have a valid host';
}

function faultOfRest(rest: string): string | undefined {
  const [character] = /[^\w\-.~:/?#@!$&'()*+,;=%]/u.exec(rest) ?? [];
  if (character !== undefined) return `must have ${character === ' ' ? 'a space' : character} written as ${encodeURIComponent(character)}`;
  if (/%(?![0-9a-f]{2})/i.test(rest)) return 'must have % written as %25, except before two hexadecimal digits';
  return /#.*#/s.test(rest) ? 'must have the second # written as %23' : undefined;
}
