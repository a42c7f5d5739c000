import type { Json, JsonObject } from '#core/basics';
import { type Block, type Flow, isObject, objectAt, textAt } from '../../compile.js';
import type { Container } from '../../floip.js';
import { sayerOf } from '../contributed.js';
import { formatNotebook } from '../format.js';
import { baseOf } from '../names.js';
import type { NotebookTrigger } from '../notebook.js';
import { Cards, type Chain, type TextCard } from './cards.js';
import type { Unsaid } from './differences.js';
import { textLiteral } from './literals.js';
import { sayContacts, sayers } from './say.js';
import { nameOf } from './say-choices.js';
import { type Context, expression } from './say-context.js';

/** Code of one fence, and the canvas comment before it. */
interface FencedCode {
  readonly canvas: string;
  readonly code: string;
}

const SILENCE_SECONDS = 300;
/** Longer heads get one line per part. */
const WIDTH = 100;

/** Writes a flow as cards and records the place of each block. */
export class Writer {
  /** Blocks that could not be written. */
  readonly unsaid: Unsaid[] = [];
  /** `card/clause/item/n` by block uuid. */
  readonly places = new Map<string, string>();
  private readonly flow: Flow;
  private readonly language: string;
  private readonly cards: Cards;
  private readonly order: ReadonlyMap<string, number>;

  constructor(flow: Flow, language: string) {
    this.flow = flow;
    this.language = language;
    this.cards = new Cards(flow);
    this.order = new Map([...flow.blocks.keys()].map((uuid, i) => [uuid, i]));
  }

  text({ name, vendor_metadata }: Container, triggers: readonly NotebookTrigger[]): string {
    const written = this.cards.list.flatMap((card) => this.definitions(card));
    // After the cards: writing them can require more empty cards.
    const parts = [...written, ...[...this.cards.emptyCards].map(([card, to]) => this.emptyCard(card, to))];
    const fences: FencedCode[] = [];
    for (const { canvas, code } of parts) {
      const last = fences.at(-1);
      if (last?.canvas === canvas) fences[fences.length - 1] = { canvas, code: `${last.code}\n${code}` };
      else fences.push({ canvas, code });
    }
    const { timeout } = this.flow;
    const marks = marksFor(parts.map(({ code }) => code).join('\n'));
    const body = fences.map(({ canvas, code }, i) => {
      const before = i === 0 ? triggers.map((trigger) => `${triggerText(trigger)}\n`) : [];
      const after = i === fences.length - 1 && timeout !== SILENCE_SECONDS && timeout > 0 ? `\ninteraction_timeout(${timeout})` : '';
      return `${canvas}${marks}stack\n${before.join('')}${code}${after}\n${marks}\n`;
    });
    const title = name.replace(/\s+/g, ' ').trim();
    const head = title === '' ? [] : [`# ${title}\n`];
    return formatNotebook([...head, ...configText(objectAt(vendor_metadata, 'svc', 'config')), ...body].join('\n')).text;
  }

  private emptyCard(card: string, to: string | null): FencedCode {
    const target = to === null ? undefined : this.cards.cardAt(to);
    return { code: `card ${nameOf(card)}${target === undefined ? '' : `, then: ${nameOf(target)}`} do\nend`, canvas: '' };
  }

  /** One definition per clause. */
  private definitions({ name, choice, chains }: TextCard): FencedCode[] {
    if (choice) this.places.set(choice.uuid, `${name}///0`);
    return chains.map((chain, clause) => {
      const isGuarded = choice !== undefined;
      const base = isGuarded ? `${baseOf(name)}_case_condition_${clause}` : baseOf(name);
      const context: Context = { flow: this.flow, cards: this.cards, language: this.language, base };
      const lines = this.items(chain, `${name}/${clause}`, context);
      // The case block has the metadata of the first clause.
      const first = chain.blocks[0] ?? (clause === 0 ? choice : undefined);
      return { code: [this.head(name, chain, first), ...lines, 'end'].join('\n'), canvas: canvasOf(first ?? choice) };
    });
  }

  private head(name: string, { when, next }: Chain, first: Block | undefined): string {
    const card = first ? objectAt(first.hints.notebook, 'card') : {};
    const options = ['version', 'uuid', 'code_generator'].flatMap((key) => {
      const value = first && isOwn(first) ? textAt(card, key) : '';
      return value === '' ? [] : [`${key}: ${textLiteral(value)}`];
    });
    const label = first ? textAt(first.hints.own, 'label') : '';
    const condition = when === undefined ? undefined : (expression(when) ?? 'false');
    const parts = [
      `card ${nameOf(name)}${label === '' ? '' : `, ${textLiteral(label)}`}${condition === undefined ? '' : ` when ${condition}`}`,
      ...(next === undefined ? [] : [`then: ${nameOf(next)}`]),
      ...options,
    ];
    const line = parts.join(', ');
    return `${line.length > WIDTH ? parts.join(',\n') : line} do`;
  }

  /** Items of a clause; comments for blocks that no item can express. */
  private items({ blocks }: Chain, place: string, context: Context): string[] {
    const lines: string[] = [];
    let count = 0;
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      const together = sameItem(blocks, i);
      const say = sayers[block.type] ?? sayerOf(block.type);
      const items = together.length > 1 ? sayContacts(together, context) : say?.(block, context);
      if (!items) {
        lines.push(`# ${block.type} '${block.name.replace(/\s+/g, ' ')}' is omitted: a notebook cannot express it`);
        this.unsaid.push({
          path: `/flows/0/blocks/${this.order.get(block.uuid)}`,
          block: block.name,
          message: say
            ? `the settings of '${block.name}' have no form in a notebook`
            : `a notebook cannot express blocks of type ${block.type}`,
        });
        continue;
      }
      for (const [n, one] of together.entries()) this.places.set(one.uuid, `${place}/${count}/${n}`);
      lines.push(...items);
      count += items.length;
      i += together.length - 1;
    }
    // The first card must not be empty.
    if (count === 0 && blocks[0]?.uuid === this.flow.first)
      lines.push(`log("the journey begins with a block that a notebook cannot express")`);
    return lines;
  }
}

/** Whether a block was compiled from a notebook by this project. */
const isOwn = ({ hints }: Block): boolean => isObject(hints.own.source);

/** Consecutive contact updates that come from one item. */
function sameItem(blocks: readonly Block[], i: number): readonly [Block, ...Block[]] {
  const first = blocks[i]!;
  let end = i + 1;
  const isSame = (block: Block | undefined): boolean =>
    block?.type === 'Core.SetContactProperty' && first.type === block.type && isOwn(first) && block.hints.own.item === first.hints.own.item;
  while (isSame(blocks[end])) end++;
  return [first, ...blocks.slice(i + 1, end)];
}

function canvasOf(block: Block | undefined): string {
  const { x, y } = objectAt(block?.source.ui_metadata, 'canvas_coordinates');
  return typeof x !== 'number' || typeof y !== 'number' || (x === 0 && y === 0) ? '' : `<!-- { section: "", x: ${x}, y: ${y}} -->\n\n`;
}

function triggerText(trigger: NotebookTrigger): string {
  const options =
    'on' in trigger
      ? [['on', trigger.on]]
      : [
          ['interval', trigger.interval],
          ['relative_to', trigger.relative_to],
        ];
  const when = trigger.when === undefined ? '' : ` when ${expression(trigger.when) ?? 'false'}`;
  return `trigger(${options.map(([name, value]) => `${name}: ${textLiteral(value!)}`).join(', ')})${when}`;
}

/** Parameters as Markdown tables with their naming comments. */
function configText(config: JsonObject): string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const [kind, rows] = Array.isArray(value)
      ? (['table', tableOf(value as readonly Json[])] as const)
      : ([
          'dictionary',
          [['Key', 'Value'], ...Object.entries(isObject(value) ? value : {}).map(([key, text]) => [key, cell(text)])],
        ] as const);
    const title = kind === 'dictionary' && name === 'items' ? 'config' : name;
    const [head = [], ...more] = rows.map((cells) => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`);
    const line = `|${' --- |'.repeat((rows[0] ?? []).length)}`;
    return [`<!--\n ${kind}: "${title}"\nversion: "0.1.0"\ncolumns: []\n-->\n`, `${[head, line, ...more].join('\n')}\n`];
  });
}

function tableOf(rows: readonly Json[]): string[][] {
  const objects = rows.filter(isObject);
  const head = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return [head, ...objects.map((row) => head.map((key) => cell(row[key])))];
}

const cell = (value: Json | undefined): string =>
  (typeof value === 'string' ? value : JSON.stringify(value ?? '')).replace(/\s+/g, ' ').trim();

/** Fence marks longer than any in the code. */
function marksFor(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/^ {0,3}(`{3,})/gm)].map(([, marks]) => marks!.length));
  return '`'.repeat(longest + 1);
}
