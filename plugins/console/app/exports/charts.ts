import { saveFile } from '../data/save-file.js';
import { texts } from './texts.js';

const MARGIN = 12;
const LINE = 22;
const KEY = 18;
const SPACE = 5;
const FONT = '14px system-ui, sans-serif';

/** Saves each card with charts of the page that is open as a picture, on the colour of the page. @returns what was saved, as a sentence */
export async function saveCharts(): Promise<string> {
  const cards = [...document.querySelectorAll<HTMLElement>('#page .card:has(.uplot canvas)')];
  for (const [at, card] of cards.entries()) {
    const blob = await new Promise<Blob | null>((done) => pictureOf(card).toBlob(done, 'image/png'));
    if (blob) saveFile(`chart-${at + 1}-${new Date().toISOString().replace(/[:.]/g, '-')}.png`, blob);
  }
  return cards.length === 0 ? texts.noChart : texts.savedCharts(cards.length);
}

/** The title of a card with the time that it shows, and its legends and charts, one below the other. */
function pictureOf(card: HTMLElement): HTMLCanvasElement {
  const parts = [...card.querySelectorAll<HTMLElement>('h2, h3, p, .uplot canvas')];
  const charts = parts.filter((part) => part instanceof HTMLCanvasElement);
  const width = Math.max(...charts.map(({ clientWidth }) => clientWidth)) + 2 * MARGIN;
  const scale = charts[0]!.width / Math.max(1, charts[0]!.clientWidth);
  const picture = document.createElement('canvas');
  const pen = picture.getContext('2d')!;
  // Drawn twice, because a canvas that gets its height loses what was drawn.
  const height = draw(pen, parts, width, card.dataset.range);
  [picture.width, picture.height] = [width * scale, height * scale];
  pen.scale(scale, scale);
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, width, height);
  draw(pen, parts, width, card.dataset.range);
  return picture;
}

/** @returns the height of the picture */
function draw(pen: CanvasRenderingContext2D, parts: readonly HTMLElement[], width: number, range = ''): number {
  let y = MARGIN;
  for (const part of parts) {
    if (part instanceof HTMLCanvasElement) {
      pen.drawImage(part, MARGIN, y, part.clientWidth, part.clientHeight);
      y += part.clientHeight;
    } else y = drawLine(pen, part, y, width - MARGIN, /^H/.test(part.tagName) ? ` · ${range}` : '');
  }
  return y + MARGIN;
}

/** Draws the words of an element, after the sample of the line or bar that the style sheet puts before a key of a legend. @returns where the next line begins */
function drawLine(pen: CanvasRenderingContext2D, element: HTMLElement, top: number, right: number, more: string): number {
  let [x, y] = [MARGIN, top];
  for (const node of element.childNodes) {
    const own = node instanceof Element ? node : element;
    const { color, fontWeight } = getComputedStyle(own);
    const sample = getComputedStyle(own, '::before');
    pen.font = `${fontWeight} ${FONT}`;
    const words = `${node.textContent}${more}`.split(' ').filter((word) => word !== '');
    if (own !== element && sample.content !== 'none') {
      if (x + KEY + SPACE + pen.measureText(words.join(' ')).width > right && x > MARGIN) [x, y] = [MARGIN, y + LINE];
      const thick = Number.parseFloat(sample.borderBlockStartWidth);
      pen.strokeStyle = sample.borderBlockStartColor;
      pen.lineWidth = thick;
      pen.setLineDash({ dashed: [6, 3], dotted: [2, 3] }[sample.borderBlockStartStyle] ?? []);
      pen.beginPath();
      pen.moveTo(x, y + LINE / 2);
      pen.lineTo(x + KEY, y + LINE / 2);
      pen.stroke();
      x += KEY + SPACE;
    }
    pen.fillStyle = color;
    for (const word of words) {
      const { width } = pen.measureText(word);
      if (x + width > right && x > MARGIN) [x, y] = [MARGIN, y + LINE];
      pen.fillText(word, x, y + LINE / 2 + 5);
      x += width + SPACE;
    }
    x += 2 * SPACE;
  }
  return x === MARGIN ? y : y + LINE;
}
