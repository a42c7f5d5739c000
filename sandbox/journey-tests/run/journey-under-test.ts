import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type CompiledNotebook, compile, compileNotebook, type Definition, DefinitionInvalid, stepsOfPointer } from '#engine';
import { readSource } from '../../../plugins/journeys/editing/json-source.js';
import { isNotebook, textOfFile } from '../../notebooks/journey-file.js';
import type { FilePosition } from '../format/index.js';

type Container = NonNullable<CompiledNotebook['container']>;

/** A compiled journey with the places of its parts. */
export interface JourneyUnderTest {
  /** The file as it is shown, or the name of the journey in the sandbox. */
  readonly file: string;
  readonly uuid: string;
  readonly name: string;
  /** The number of a journey on a platform. */
  readonly number?: string;
  readonly container: Container;
  readonly definition: Definition;
  /** The conditions of its triggers for messages. Empty if the file has no triggers: any message starts the journey. */
  readonly triggers: readonly (CompiledNotebook['triggers'][number] & { readonly at: FilePosition })[];
  /** The place of a JSON pointer into the container. */
  placeOf(pointer: string): FilePosition;
  /** Where a card begins; undefined for definitions as JSON, which have no cards of their own. */
  placeOfCard(card: string): FilePosition | undefined;
}

/** The journey of a test cannot be run. */
export class JourneyUnusable extends Error {
  override readonly name = 'JourneyUnusable';
}

const ENDINGS = ['', '.journey.md', '.journey.json', '.md', '.json', '.journey.markdown', '.markdown'];

/**
 * Finds the file of a journey: `named` as a path, with or without its ending, relative to the folder of the test file. Without a name: the
 * file with the name of the test file.
 */
export function journeyFile(testFile: string, named: string | undefined): string | undefined {
  const name = named ?? basename(testFile).replace(/\.test\.ya?ml$/, '');
  return ENDINGS.map((ending) => resolve(dirname(testFile), `${name}${ending}`)).find(
    (file) => /\.(json|md|markdown)$/i.test(file) && existsSync(file),
  );
}

/**
 * Compiles the text of a journey.
 * @param uuid of a stored journey, so that the blocks of its notebook have the same uuids as in its graph
 * @throws JourneyUnusable with the place of the first error
 */
export function compileJourney(file: string, text: string, { uuid }: { uuid?: string } = {}): JourneyUnderTest {
  return isNotebook(file, text) ? notebookJourney(file, text, uuid) : jsonJourney(file, text);
}

/** Compiled journeys by path. Test files of a folder often share a journey, and compiling it takes longer than a hundred tests. */
const compiled = new Map<string, { readonly text: string; readonly journey: JourneyUnderTest }>();

/** For a new run, whose plugins may have another language. */
export const forgetJourneys = (): void => compiled.clear();

/** Reads and compiles a file. @throws UsageError when it cannot be read, JourneyUnusable when it has errors */
export function readJourney(path: string, shown: string): JourneyUnderTest {
  const text = textOfFile(path);
  const known = compiled.get(path);
  if (known?.text === text && known.journey.file === shown) return known.journey;
  const journey = compileJourney(shown, text);
  compiled.set(path, { text, journey });
  return journey;
}

function notebookJourney(file: string, text: string, uuid?: string): JourneyUnderTest {
  const { container, findings, sources, triggers, triggerPlaces, title } = compileNotebook(text, { uuid });
  const error = findings.find(({ severity }) => severity === 'error');
  if (!container || !sources || error) {
    const at = error ? `${file}:${error.line}:${error.column}` : file;
    throw new JourneyUnusable(`${at}: ${error?.message ?? 'the notebook has no journey'}. ${error?.fix ?? ''}`.trim());
  }
  return {
    ...compiledOf(file, container, (pointer) => {
      const { line = 1, column = 1 } = sources.at(pointer) ?? {};
      return { line, column };
    }),
    ...(title !== undefined && { name: title }),
    placeOfCard: (card) => sources.ofCard(card),
    triggers: triggers
      .map((trigger, i) => ({ ...trigger, at: triggerPlaces[i]! }))
      .filter((trigger) => 'on' in trigger && MESSAGE_TRIGGERS.has(trigger.on)),
  };
}

/** The triggers that messages can start; the names of notebooks. */
const MESSAGE_TRIGGERS: ReadonlySet<string> = new Set(['MESSAGE RECEIVED', 'FIRST MESSAGE', 'CATCH ALL']);

function jsonJourney(file: string, text: string): JourneyUnderTest {
  const source = readSource(text);
  const [fault] = source.faults.filter(({ severity }) => severity === 'error');
  if (fault) throw new JourneyUnusable(`${file}:${fault.at.line}:${fault.at.column}: ${fault.message}`);
  return compiledOf(file, source.value as Container, (pointer) => source.positionOf(stepsOfPointer(pointer)));
}

function compiledOf(file: string, container: Container, placeOf: (pointer: string) => FilePosition): JourneyUnderTest {
  try {
    const { uuid, name } = container;
    return { file, uuid, name, container, definition: compile(container), triggers: [], placeOf, placeOfCard: () => undefined };
  } catch (error) {
    if (!(error instanceof DefinitionInvalid)) throw error;
    const [first] = error.findings;
    const { line, column } = placeOf(first?.path ?? '');
    throw new JourneyUnusable(`${file}:${line}:${column}: ${first?.message}. ${first?.fix}`);
  }
}
