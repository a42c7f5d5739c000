import { type Findings, quoted } from './findings.js';
import type { JsonNode } from './json-node.js';

/** Longer regular expressions are not checked. */
const MAX_PATTERN = 10_000;
/** Unambiguous about white space, so that megabytes of text match in linear time. */
const BASE64 = /^[A-Za-z\d+/\s]+(?:={1,2}\s*)?$/;

export function checkDate(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (isDay(text)) return;
  findings.at(
    node,
    'INVALID_PROPERTY_VALUE_FORMAT',
    () => `property '${node.key}' should be in date format (YYYY-MM-DD), found ${quoted(text)}`,
  );
}

/** Whether a text is an existing day as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A color such as `1DAA61`, with or without `#`. */
export function checkColor(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (/^#?[0-9A-Fa-f]{6}$/.test(text)) return;
  findings.at(node, 'PATTERN_MISMATCH', () => `property '${node.key}' should be six hexadecimal digits, found ${quoted(text)}`);
}

/** An absolute HTTPS URL; an HTTP one is only a hint, because no public source says that the network refuses it. */
export function checkUrl(node: JsonNode, findings: Findings): void {
  const text = node.value as string;
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    if (!/^https:/i.test(text)) {
      findings.hint(node, 'INSECURE_URL', () => `'${node.key}' needs https://, found ${quoted(text)}; phones may refuse to open it`);
    }
    return;
  }
  findings.at(
    node,
    'INVALID_PROPERTY_VALUE_FORMAT',
    () => `property '${node.key}' should be in uri format, starting with https:// or http://, found ${quoted(text)}`,
  );
}

/** Hints at an image that is not base64 or too large. Image formats are not checked: phones differ. */
export function checkImage(node: JsonNode, maxKiB: number, findings: Findings): void {
  const text = node.value as string;
  if (!BASE64.test(text)) {
    const prefix = /^data:[^,]{0,100};base64,/.exec(text)?.[0];
    const found = prefix === undefined ? `found ${quoted(text)}` : `without '${prefix}'`;
    return void findings.hint(node, 'INVALID_IMAGE_SOURCE', () => `'${node.key}' should be an image as base64, ${found}`);
  }
  const KiB = (text.length * 3) / 4 / 1024;
  if (KiB <= maxKiB) return;
  findings.hint(
    node,
    'MAX_IMAGE_SIZE_EXCEEDED',
    () => `the image has about ${Math.ceil(KiB)} KiB; phones may not show images larger than ${maxKiB} KiB`,
  );
}

/** Hints at a regular expression that JavaScript cannot compile. Phones may have another dialect. */
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
