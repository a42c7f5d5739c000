// Repeats a step of a compilation only if the content of a file that it read has changed. A note in the folder of the outputs records the
// hashes of the inputs and the outputs of every step.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A change of these repeats every step: settings, the compilation itself, and the installed packages. */
const recipe = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json', 'scripts/compile.mjs', 'scripts/steps.mjs'];

const digest = (content) => createHash('sha1').update(content).digest('base64url').slice(0, 16);

/** The hash of a file's content; undefined if there is no such file. Paths are relative to the project. */
function hashOf(file) {
  try {
    return digest(readFileSync(join(root, file)));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file such that a process that reads it at the same time gets the previous or the new content. */
export function replaceFile(file, content) {
  const path = join(root, file);
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, content);
  renameSync(draft, path);
}

/** The steps of one compilation. */
export class Steps {
  #note;
  #recipe;
  #hashes = new Map();
  #before = {};
  #isSameRecipe = false;
  #now = {};

  /** @param note a path relative to the project */
  constructor(note) {
    this.#note = note;
    this.#recipe = digest(recipe.map((file) => hashOf(file)).join());
    if (!existsSync(join(root, note))) return;
    const { recipe: previous, steps } = JSON.parse(readFileSync(join(root, note), 'utf8'));
    this.#before = steps;
    this.#isSameRecipe = previous === this.#recipe;
  }

  /** Whether the outputs of a step exist and match its inputs. The step is kept then. */
  isCurrent(name) {
    const step = this.#before[name];
    const isCurrent =
      this.#isSameRecipe &&
      step !== undefined &&
      Object.entries(step.inputs).every(([file, hash]) => this.#hash(file) === hash) &&
      step.outputs.every((file) => existsSync(join(root, file)));
    if (isCurrent) this.#now[name] = step;
    return isCurrent;
  }

  /** Runs a step unless it is current. `make` returns the paths of its `inputs` and `outputs`. */
  async run(name, make) {
    if (this.isCurrent(name)) return;
    const startedAt = Date.now();
    const { inputs, outputs } = await make();
    this.record(name, inputs, outputs, startedAt);
  }

  /** Records a step. An input that was written since `startedAt` counts as changed, because the step may have read its previous content. */
  record(name, inputs, outputs, startedAt) {
    const entries = inputs.map((file) => [file, statSync(join(root, file)).mtimeMs >= startedAt ? '' : this.#hash(file)]);
    this.#now[name] = { inputs: Object.fromEntries(entries), outputs };
  }

  /** The files that the steps wrote, in this run or an earlier one. */
  get outputs() {
    return new Set(Object.values(this.#now).flatMap((step) => step.outputs));
  }

  /** Removes the files that the steps do not write any more, such as those of removed sources, and writes the note. */
  finish() {
    const { outputs } = this;
    for (const file of Object.values(this.#before).flatMap((step) => step.outputs)) {
      if (!outputs.has(file)) rmSync(join(root, file), { force: true });
    }
    replaceFile(this.#note, JSON.stringify({ recipe: this.#recipe, steps: this.#now }));
  }

  #hash(file) {
    if (!this.#hashes.has(file)) this.#hashes.set(file, hashOf(file));
    return this.#hashes.get(file);
  }
}
