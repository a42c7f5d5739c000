/**
 * The format of test files (`*.test.yaml`).
 *
 * - `readTests(text)` parses a file: `{ tests, problems }`. Problems have a line and a column, and name the nearest known word. A `TestCase`
 *   is ready to run: defaults are merged, rows of a table (`each`) are filled in, and each step has its place.
 * - `writeTests(document, folder)` writes a `TestDocument`, the shape of the YAML, as text with the schema line. To create a test, write
 *   `{ journey: 'menu.md', tests: [{ name, steps: ['start', { tap: 'Hours', expect: { text: { contains: '9 to 5' } } }] }] }`.
 * - `testJsonSchema()` makes `test.schema.json`, which the package contains, from the joi schema in `schema.ts`.
 * - `durationOf('5 minutes')` and `durationText(300000)` read and write times of `wait`.
 * - `isMatcher(value)` tells an object of operators (`matcherWords`) from data; `patternOf(text)` reads the operand of `matches`.
 */
export type {
  DocumentAction,
  DocumentStep,
  DocumentTest,
  Expectation,
  MediaType,
  Revision,
  SentMessage,
  Settings,
  SkillMock,
  State,
  TestDocument,
} from './document.js';
export { mediaTypes } from './document.js';
export { durationOf, durationText } from './duration.js';
export { didYouMean } from './explain.js';
export { SCHEMA_ID, testJsonSchema } from './json-schema.js';
export { isMatcher, type MatcherWord, matcherWords } from './matcher-words.js';
export { patternOf } from './pattern.js';
export type { FilePosition, Problem } from './problem.js';
export { type ParsedTests, readTests } from './read-test.js';
export type { TestAction, TestCase, TestStep } from './test-case.js';
export { withJourney } from './with-journey.js';
export { withSchemaFrom, writeTests } from './write-tests.js';
