import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { compileNotebook } from '#engine';
import type { SkillMock } from '../journey-tests/format/document.js';
import { readSkillMocks } from '../journey-tests/format/skill-mocks.js';
import { calledSkills } from '../notebooks/called-skills.js';
import type { JourneySource } from '../notebooks/journey-file.js';
import { UsageError } from '../terminal/flags.js';

/** JavaScript of stand-ins for code skills and apps, by the name in the call. */
export type StandIns = Readonly<Record<string, string>>;

/**
 * Reads stand-ins from a JSON or YAML file: `{"demo/score": {"output": 7}}`, as in `skills` of a test file, with or without that key.
 * @throws UsageError when the file cannot be read or has another form
 */
export function readStandIns(file: string, cwd: string): StandIns {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return sourcesOf(readSkillMocks(text), dirname(path));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
}

const sourcesOf = (mocks: Readonly<Record<string, SkillMock>>, folder: string): StandIns =>
  Object.fromEntries(Object.entries(mocks).map(([name, mock]) => [name, sourceOf(mock, folder)]));

function sourceOf(mock: SkillMock, folder: string): string {
  if ('output' in mock) return returning(mock.output);
  if ('error' in mock) return `export default () => { throw new Error(${JSON.stringify(mock.error)}) }`;
  try {
    return readFileSync(resolve(folder, mock.file), 'utf8');
  } catch (error) {
    throw new UsageError(`${mock.file} cannot be read: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const returning = (output: unknown): string => `export default () => (${JSON.stringify(output)})`;

/** The skills and apps that a journey calls and nothing stands in for. */
export function missingSkills(source: JourneySource, standIns: StandIns): readonly string[] {
  const container = 'definition' in source ? source.definition : compileNotebook(source.notebook).container;
  return calledSkills(container).filter((name) => !Object.hasOwn(standIns, name));
}

/** Asks in the terminal what each missing skill returns; an empty line leaves it missing. */
export async function askForStandIns(names: readonly string[]): Promise<StandIns> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Record<string, string> = {};
  try {
    for (const name of names) {
      const line = (
        await lines.question(`  ${name} is a skill that only a platform has. What does it return (JSON or text, empty: nothing)? `)
      ).trim();
      if (line !== '') answers[name] = returning(jsonOrText(line));
    }
  } finally {
    lines.close();
  }
  return answers;
}

function jsonOrText(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
