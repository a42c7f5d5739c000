import type { Json, JsonObject } from '#core';
import { durationOf } from './duration.js';
import { didYouMean } from './explain.js';
import type { TestCase, TestStep } from './test-case.js';

const COLUMN = /\{\{\s*([^{}]+?)\s*\}\}/g;

/** The first column in a text that the row does not have. */
export function unknownColumn(text: string, row: JsonObject): string | undefined {
  const unknown = [...text.matchAll(COLUMN)].find(([, column]) => !Object.hasOwn(row, column!))?.[1];
  return unknown && unknownColumnMessage(unknown, row);
}

const unknownColumnMessage = (column: string, row: JsonObject): string =>
  `unknown column '${column}'${didYouMean(column, Object.keys(row))}`;

/** The name of a row's test: the columns in its name are filled in; a name without columns gets the values of the row. */
export function rowName(name: string, row: JsonObject): string {
  const filled = name.replace(COLUMN, (written, column: string) => (Object.hasOwn(row, column) ? cellText(row[column]!) : written));
  if (filled !== name) return filled;
  const values = Object.entries(row).map(([column, value]) => `${column}: ${cellText(value)}`);
  return `${name} (${values.join(', ').slice(0, 200)})`;
}

const cellText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

class UnknownColumn extends Error {}

/**
 * Replaces `{{column}}` in all texts of a test. A text that is one column gets its value with its type; what the contact says gets the
 * text of the column, as it is written: 007 and not 7.
 */
export function fillRow(
  test: TestCase,
  row: JsonObject,
  written: Readonly<Record<string, string>> = {},
): { readonly value: TestCase } | { readonly unknown: string } {
  const columnOf = (column: string): Json => {
    if (Object.hasOwn(row, column)) return row[column]!;
    throw new UnknownColumn(unknownColumnMessage(column, row));
  };
  const fill = (value: unknown, isScript: boolean): unknown => {
    if (typeof value === 'string') {
      const [whole, column] = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(value) ?? [];
      // Rules of scripted models have texts of this form for other values.
      if (whole !== undefined && (!isScript || Object.hasOwn(row, column!))) return columnOf(column!);
      return value.replace(COLUMN, (text, column: string) => (isScript && !Object.hasOwn(row, column) ? text : cellText(columnOf(column))));
    }
    if (Array.isArray(value)) return value.map((item) => fill(item, isScript));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, fill(inside, isScript || key === 'models')]));
  };
  const filledText = (text: string): string => text.replace(COLUMN, (_, column: string) => written[column] ?? cellText(columnOf(column)));
  try {
    const { settings, steps, ...rest } = test;
    return {
      value: {
        ...rest,
        settings: fill(settings, false) as TestCase['settings'],
        steps: steps.map((step) => filledStep(step, fill, filledText)),
      },
    };
  } catch (error) {
    if (error instanceof UnknownColumn) return { unknown: error.message };
    throw error;
  }
}

function filledStep(step: TestStep, fill: (value: unknown, isScript: boolean) => unknown, filledText: (text: string) => string): TestStep {
  switch (step.kind) {
    case 'say':
      return { ...step, text: filledText(step.text) };
    case 'tap':
    case 'choose':
      return { ...step, label: filledText(step.label) };
    case 'wait': {
      const filled = fill(step, false) as typeof step;
      return typeof step.ms === 'number' ? step : { ...filled, ms: durationOf(filled.ms) ?? filled.ms };
    }
    default:
      return fill(step, false) as TestStep;
  }
}
