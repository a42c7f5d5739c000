import fc from 'fast-check';
import t from 'tap';
import { checkContainer } from '../../../../../plugins/journeys/engine/container.js';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { notebookOf } from '../../../../../plugins/journeys/engine/notebook/to-text/to-text.js';
import { runs } from '../../../../forms.js';
import { notebooks, unplaced } from './generated.js';

const NUM_RUNS = runs(400);
const SEED = 20_250_115;

const shown = (text: string): string => JSON.stringify(compileNotebook(text).findings.filter(({ severity }) => severity === 'error'));

/** Faults of templates inside of texts: a notebook says them as they are. */
const IN_TEXTS = ['printed_at', 'unknown_function', 'wrong_arity', 'invalid_expression'];

/** Holds for so many notebooks by chance, always the same ones. */
function always(property: (text: string, container: Container) => void, numRuns = NUM_RUNS): void {
  const compiled = (text: string): Container => {
    const { container } = compileNotebook(text);
    if (!container) throw new Error(`the notebook has errors: ${shown(text)}`);
    return container;
  };
  fc.assert(
    fc.property(notebooks, (text) => property(text, compiled(text))),
    { numRuns, seed: SEED },
  );
}

function same(one: string, other: string, what: string): void {
  if (one === other) return;
  const [a, b] = [one.split('\n'), other.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  throw new Error(`${what} differ in line ${at + 1}:\n${a.slice(at, at + 3).join('\n')}\n${b.slice(at, at + 3).join('\n')}`);
}

t.test('what compiles can be run', async (t) => {
  always((_, container) => {
    const errors = checkContainer(container).filter(
      ({ severity, code, path }) => severity === 'error' && !(IN_TEXTS.includes(code) && !path.includes('type')),
    );
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
  });
  t.pass(`${NUM_RUNS} notebooks`);
});

t.test('the same text becomes the same container', async (t) => {
  always((text, container) =>
    same(JSON.stringify(container), JSON.stringify(compileNotebook(text).container), 'two containers of one text'),
  );
  t.pass(`${NUM_RUNS} notebooks`);
});

t.test('laying out changes nothing but the layout, and laying out again changes nothing', async (t) => {
  const commentsIn = (text: string): string => [...text.matchAll(/# (?:why|note|behind|above|between)/g)].join('\n');
  always((text, container) => {
    const { text: once } = formatNotebook(text);
    same(unplaced(container), unplaced(compileNotebook(once).container), 'the containers before and after');
    same(once, formatNotebook(once).text, 'the layouts');
    same(commentsIn(text), commentsIn(once), 'the comments');
  });
  t.pass(`${NUM_RUNS} notebooks`);
});

t.test('a notebook, the container it becomes, and the notebook that says it become the same', async (t) => {
  always((text, container) => {
    const { triggers } = compileNotebook(text);
    const said = notebookOf(container, { triggers });
    const again = compileNotebook(said.text, { uuid: container.uuid, name: container.name });
    same(unplaced(container), unplaced(again.container), 'the containers');
    same(JSON.stringify(triggers), JSON.stringify(again.triggers), 'the triggers');
    same('[]', JSON.stringify(said.unsaid), 'what is left unsaid');
    same(said.text, notebookOf(again.container!, { triggers }).text, 'the notebooks');
    same(said.text, formatNotebook(said.text).text, 'the layouts');
    // Now that only places are new, they are the same too.
    same(
      JSON.stringify(again.container),
      JSON.stringify(compileNotebook(said.text, { uuid: container.uuid, name: container.name }).container),
      'the containers',
    );
  });
  t.pass(`${NUM_RUNS} notebooks`);
});
