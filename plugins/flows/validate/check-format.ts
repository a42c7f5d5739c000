import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';

/** Longer expressions are not looked into. */
const MAX_PATTERN = 10_000;
/** White space matches in one place at a time, so that texts of megabytes take linear time. */
const BASE64 = /^[A-Za-z\d+/\s]+(?:={1,2}\s*)?$/;

/** A day that exists, as `YYYY-MM-DD`. */
export function checkDate(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (isDay(text)) return;
  findings.at(
    node,
    'INVALID_PROPERTY_VALUE_FORMAT',
    () => `property '${node.key}' should be in date format (YYYY-MM-DD), found ${quoted(text)}`,
  );
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A colour such as `1DAA61`; a `#` before it does no harm. */
export function checkColor(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (/^#?[0-9A-Fa-f]{6}$/.test(text)) return;
  findings.at(node, 'PATTERN_MISMATCH', () => `property '${node.key}' should be six hexadecimal digits, found ${quoted(text)}`);
}

/** An address of the web. */
export function checkUrl(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return;
  findings.at(
    node,
    'INVALID_PROPERTY_VALUE_FORMAT',
    () => `property '${node.key}' should be in uri format, beginning with https:// or http://, found ${quoted(text)}`,
  );
}

/** A picture in base64 that is not too large. Which formats can be shown depends on the phone. */
export function checkImage(node: JsonNode, maxKiB: number, findings: Findings): void {
  const text = node.value as string;
  if (!BASE64.test(text)) {
    const prefix = /^data:[^,]{0,100};base64,/.exec(text)?.[0];
    const found = prefix === undefined ? `found ${quoted(text)}` : `without '${prefix}'`;
    return void findings.hint(node, 'INVALID_IMAGE_SOURCE', () => `'${node.key}' should be a picture as base64, ${found}`);
  }
  const KiB = (text.length * 3) / 4 / 1024;
  if (KiB <= maxKiB) return;
  findings.hint(
    node,
    'MAX_IMAGE_SIZE_EXCEEDED',
    () => `the picture has about ${Math.ceil(KiB)} KiB; more than ${maxKiB} KiB are not advised, and phones may leave it out`,
  );
}

/** Whether a regular expression can be read; phones may still take it differently. */
export function checkPattern(node: JsonNode, findings: Findings): void {
  if ((node.value as string).length > MAX_PATTERN) return;
  try {
    new RegExp(node.value as string, 'u');
  } catch {
    try {
      new RegExp(node.value as string);
    } catch (error) {
      findings.hint(node, 'INVALID_REGULAR_EXPRESSION', error instanceof Error ? error.message : 'invalid regular expression');
    }
  }
}
