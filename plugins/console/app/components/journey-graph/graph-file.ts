import { svgOf } from '../../../../journeys/editing/graph-svg.js';
import type { Graph } from './graph-data.js';

/** Browsers draw no larger pictures. */
const MOST_PIXELS = 8_192;

/** A file with the graph as SVG. */
export const svgFile = (graph: Graph): Blob => new Blob([svgOf(graph)], { type: 'image/svg+xml' });

/** A file with the graph as PNG, at twice its size if it fits. */
export async function pngFile(graph: Graph): Promise<Blob> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(graph))}`;
  await picture.decode();
  const scale = Math.min(2, MOST_PIXELS / graph.width, MOST_PIXELS / graph.height);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.ceil(graph.width * scale), Math.ceil(graph.height * scale)];
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (!blob) throw new Error('this browser cannot draw a picture of this size; export SVG instead');
  return blob;
}
