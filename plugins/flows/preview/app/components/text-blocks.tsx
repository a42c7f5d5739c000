import type { ComponentChildren } from 'preact';
import { type ComponentProps, shownText, UndeclaredText } from '../definition.js';
import { displayText, resolve } from '../evaluate.js';
import { type Block, blocksOf, type Inline } from '../markdown.js';
import { useStage } from '../stage.js';
import { texts } from '../texts.js';
import { renderText } from './render-text.js';

export function TextHeading({ component }: ComponentProps) {
  const text = displayText(component.text, useStage().scope);
  if (shownText(text) === '') return null;
  return (
    <h2 class="heading" dir="auto">
      {renderText(text)}
    </h2>
  );
}

export function TextSubheading({ component }: ComponentProps) {
  const { scope, subheading: Level } = useStage();
  const text = displayText(component.text, scope);
  if (shownText(text) === '') return null;
  return (
    <Level class="subheading" dir="auto">
      {renderText(text)}
    </Level>
  );
}

export const TextBody = ({ component }: ComponentProps) => <TextParagraphs component={component} variant="body" />;
export const TextCaption = ({ component }: ComponentProps) => <TextParagraphs component={component} variant="caption" />;

function TextParagraphs({ component, variant }: ComponentProps & { variant: string }) {
  const { scope } = useStage();
  const paragraphs = paragraphsOf(displayText(component.text, scope));
  const weight = shownText(resolve(component['font-weight'], scope));
  const isStruck = resolve(component.strikethrough, scope) === true;
  const classes = `${variant} ${weight.includes('bold') ? 'bold' : ''} ${weight.includes('italic') ? 'italic' : ''}`;
  const content =
    component.markdown === true && !paragraphs.some(hasUndeclared) ? (
      <Blocks blocks={blocksOf(paragraphs.map(shownText).join('\n'), false)} />
    ) : (
      <Paragraphs of={paragraphs} />
    );
  return <div class={classes}>{isStruck ? <del>{content}</del> : content}</div>;
}

export function RichText({ component }: ComponentProps) {
  const paragraphs = paragraphsOf(displayText(component.text, useStage().scope));
  const isUndeclared = paragraphs.some(hasUndeclared);
  return (
    <div class="rich">
      {isUndeclared ? <Paragraphs of={paragraphs} /> : <Blocks blocks={blocksOf(paragraphs.map(shownText).join('\n'), true)} />}
    </div>
  );
}

const paragraphsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const hasUndeclared = (value: unknown): boolean => value instanceof UndeclaredText;

const Paragraphs = ({ of }: { of: readonly unknown[] }) =>
  of.map((text, i) => (
    <p key={i} dir="auto">
      {renderText(text)}
    </p>
  ));

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  const first = blocks.find(({ kind }) => kind === 'heading');
  const Second = first?.kind === 'heading' && first.level === 1 ? 'h3' : 'h2';
  return blocks.map((block, i) => <BlockView key={i} block={block} second={Second} />);
}

/** @param second the element of second-level headings: `h3` only after a first-level one, so that no level is skipped */
function BlockView({ block, second: Second }: { block: Block; second: 'h2' | 'h3' }): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{spans(block.children)}</p>;
    case 'heading':
      if (block.level === 1) return <h2 dir="auto">{spans(block.children)}</h2>;
      if (block.level === 2) {
        return (
          <Second class="subheading" dir="auto">
            {spans(block.children)}
          </Second>
        );
      }
      return <p dir="auto">{spans(block.children)}</p>;
    case 'list': {
      const items = block.items.map((item, i) => <li key={i}>{spans(item)}</li>);
      return block.ordered ? (
        <ol dir="auto" start={block.start}>
          {items}
        </ol>
      ) : (
        <ul dir="auto">{items}</ul>
      );
    }
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable for scrolling by keyboard
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.table}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, i) => (
                  <th key={i} scope="col" dir="auto">
                    {spans(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, j) => (
                    <td key={j} dir="auto">
                      {spans(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

const spans = (children: readonly Inline[]): ComponentChildren => children.map((part, i) => span(part, i));

function span(part: Inline, key: number): ComponentChildren {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'strong':
      return <strong key={key}>{spans(part.children)}</strong>;
    case 'em':
      return <em key={key}>{spans(part.children)}</em>;
    case 'del':
      return <del key={key}>{spans(part.children)}</del>;
    case 'link':
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer">
          {spans(part.children)}
        </a>
      );
    case 'image':
      return <img key={key} src={part.src} alt={part.alt} />;
  }
}
