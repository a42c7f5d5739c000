import type { Findings } from './findings.js';
import { readHead } from './heads.js';
import { readItems } from './items.js';
import { type Layout, Reading } from './reading.js';
import type { Card, Item, Program, Target, TriggerNode } from './syntax.js';
import type { Tokens } from './tokens.js';
import { readTimeout, readTrigger } from './triggers.js';
import { topWords } from './words.js';

const expectedOutside = `${topWords.slice(0, -1).join(', ')} or ${topWords.at(-1)}`;

/** Parses the code of all fences. Faults are reported and skipped: at the next item where possible, else at the next card. */
export function parse(tokens: Tokens, findings: Findings): { program: Program; layout: Layout } {
  const parser = new Parser(tokens, findings);
  return { program: parser.program(), layout: parser.reading.layout };
}

class Parser {
  readonly reading: Reading;
  private readonly tokens: Tokens;
  private readonly cards: Card[] = [];
  private readonly triggers: TriggerNode[] = [];
  private timeout: number | undefined;
  private name: string | undefined;
  /** The `do` of the open `stack` wrapper. */
  private wrapper: number | undefined;
  private fence = 0;

  constructor(tokens: Tokens, findings: Findings) {
    this.tokens = tokens;
    this.reading = new Reading(tokens, findings);
  }

  program(): Program {
    const { reading, tokens } = this;
    while (reading.at < tokens.kinds.length && !reading.findings.isFull) this.next(reading.at);
    return { cards: this.cards, triggers: this.triggers, timeout: this.timeout, name: this.name };
  }

  private next(i: number): void {
    const { reading, tokens } = this;
    const kind = tokens.kinds[i];
    if (kind === 'fence') this.endFence();
    else if (kind === 'lost') reading.at++;
    else if (kind === 'end' && this.wrapper !== undefined) this.endWrapper(i);
    else if (!reading.isTop(i)) this.outside(i);
    else {
      reading.begin(i);
      if (kind === 'card') this.card(i);
      else if (kind === 'stack') this.beginWrapper(i);
      else if (tokens.textOf(i) === 'trigger') this.trigger(i);
      else this.timeout = readTimeout(reading, i, this.timeout === undefined) ?? this.timeout;
    }
  }

  private outside(i: number): void {
    const { reading, tokens } = this;
    const word = tokens.kinds[i] === 'name' ? tokens.textOf(i) : '';
    reading.unexpected('outside_card', i, `${expectedOutside} expected`, {
      expected: expectedOutside,
      nearest: reading.findings.nearest(word, topWords),
    });
    reading.at++;
    reading.skipToTop();
  }

  private endFence(): void {
    const { reading } = this;
    if (this.wrapper !== undefined)
      reading.error('unclosed_body', this.wrapper, `'end' expected: this do of stack has none`, { expected: 'end' });
    this.wrapper = undefined;
    this.fence++;
    reading.at++;
  }

  /** `stack Name do … end` around cards has no effect beyond the name. */
  private beginWrapper(i: number): void {
    const { reading, tokens } = this;
    const isWhole = tokens.kinds[i + 1] === 'name' && tokens.kinds[i + 2] === 'do';
    if (!isWhole) reading.unexpected('unexpected', i + 1, 'stack Name do expected', { expected: 'stack Name do' });
    else if (this.wrapper !== undefined)
      reading.error('unclosed_body', this.wrapper, `'end' expected before the next stack`, { expected: 'end' });
    if (isWhole) {
      this.name ??= tokens.textOf(i + 1);
      this.wrapper = i + 2;
    }
    reading.at = isWhole ? i + 3 : i + 1;
    if (!isWhole) reading.skipToTop();
  }

  private endWrapper(i: number): void {
    this.reading.layout.bodies.push([this.wrapper!, i]);
    this.wrapper = undefined;
    this.reading.at++;
  }

  private trigger(i: number): void {
    const trigger = readTrigger(this.reading, i);
    if (trigger) this.triggers.push(trigger);
  }

  private card(i: number): void {
    const { reading, tokens } = this;
    reading.limit = reading.cardFrom(i + 1);
    reading.at = i + 1;
    const target = i + 1 < reading.limit ? reading.target(i + 1) : undefined;
    if (!target) reading.unexpected('invalid_head', i + 1, 'a card name expected', { expected: 'a card name' });
    // Skip the tokens in place of the name.
    if (target || !['do', ',', 'when', 'fence', 'card', 'lost'].includes(tokens.kinds[i + 1]!)) reading.at++;
    const head = readHead(reading);
    const start = reading.at - 1;
    const items: Item[] = [];
    if (readItems(reading, items)) {
      if (tokens.kinds[start] === 'do') reading.layout.bodies.push([start, reading.at - 1]);
    } else if (tokens.kinds[reading.limit - 1] !== 'lost') this.unclosed(i, target);
    if (!target) return;
    const end = tokens.ends[reading.at - 1]!;
    this.cards.push({ name: target.name, nameAt: target, head, items, fence: tokens.fences[this.fence]!, start: tokens.starts[i]!, end });
  }

  private unclosed(i: number, target: Target | undefined): void {
    const { reading, tokens } = this;
    const next = tokens.kinds[reading.limit] === 'card' ? ` before card ${tokens.textOf(reading.limit + 1)}` : '';
    reading.error('unclosed_body', i, `'end' expected${next}: a do in card ${target?.name ?? ''} has none`, { expected: 'end' });
  }
}
