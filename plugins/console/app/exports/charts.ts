import { locale } from '../../../../core/web/language.js';
import { saveFile } from '../data/save-file.js';
import { texts } from './texts.js';

const TITLE_PX = 28;
const MARGIN_PX = 12;

/** Saves the charts of the page that is open as pictures, on the colour of the page. @returns what was saved, as a sentence */
export async function saveCharts(): Promise<string> {
  const charts = [...document.querySelectorAll<HTMLCanvasElement>('#page .uplot canvas')];
  for (const [at, chart] of charts.entries()) {
    const picture = framed(chart, nameOf(chart));
    const blob = await new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png'));
    if (blob) saveFile(`chart-${at + 1}-${new Date().toISOString().replace(/[:.]/g, '-')}.png`, blob);
  }
  return charts.length === 0 ? texts.noChart : texts.savedCharts(charts.length);
}

/** The name of a chart on the page. */
function nameOf(chart: Element): string {
  const named = chart.closest('[aria-label], figure');
  const label = named?.getAttribute('aria-label') ?? named?.querySelector('figcaption')?.textContent ?? '';
  return label.split(';')[0]!.trim();
}

/** A copy of a chart, whose own ground is transparent, below its name and the time at which it was saved. */
function framed(chart: HTMLCanvasElement, name: string): HTMLCanvasElement {
  const scale = chart.width / Math.max(1, chart.clientWidth);
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [chart.width + 2 * MARGIN_PX * scale, chart.height + (TITLE_PX + 2 * MARGIN_PX) * scale];
  const pen = picture.getContext('2d')!;
  const style = getComputedStyle(document.body);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = style.color;
  pen.font = `${14 * scale}px system-ui, sans-serif`;
  const title = `${name} · ${new Date().toLocaleString(locale)}`;
  pen.fillText(title, MARGIN_PX * scale, (MARGIN_PX + 14) * scale, picture.width - 2 * MARGIN_PX * scale);
  pen.drawImage(chart, MARGIN_PX * scale, (MARGIN_PX + TITLE_PX) * scale);
  return picture;
}
