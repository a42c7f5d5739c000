import { randomBytes } from 'node:crypto';

/** Marks our own links: texts from outside cannot know it, so links in them are escaped. */
const ID = randomBytes(6).toString('hex');

/** Matches the codes of `hyperlink`. */
export const LINK_CODES = `\\u001b\\]8;(?:id=${ID};[!-~]+|;)\\u001b\\\\`;

/** A text that terminals show as a link (OSC 8). */
export const hyperlink = (text: string, url: string): string => `\u001b]8;id=${ID};${encodeURI(url)}\u001b\\${text}\u001b]8;;\u001b\\`;

/** Whether to print links: if the stream is a terminal that is known to support them. NO_COLOR turns them off; FORCE_HYPERLINK overrides everything. */
export async function wantsLinks(stream: { readonly isTTY?: boolean }): Promise<boolean> {
  const { FORCE_HYPERLINK, NO_COLOR } = process.env;
  if (!FORCE_HYPERLINK && (NO_COLOR || !stream.isTTY)) return false;
  // Most output goes to pipes and files, so most commands do not load it.
  const { createSupportsHyperlinks } = await import('supports-hyperlinks');
  return createSupportsHyperlinks(stream);
}
