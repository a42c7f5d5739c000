import { useRef, useState } from 'preact/hooks';
import { type ComponentProps, fieldsOf, listOf, shownText } from '../definition.js';
import { resolve } from '../evaluate.js';
import { useStage } from '../stage.js';
import { texts } from '../texts.js';

const BASE64 = /^[A-Za-z\d+/\s]+={0,2}$/;
const formats: readonly (readonly [begin: string, type: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBOR', 'image/png'],
  ['UklGR', 'image/webp'],
  ['R0lGO', 'image/gif'],
];

/** The data URL of a base64 image; undefined if the value is not base64. */
export function pictureOf(value: unknown): string | undefined {
  const text = shownText(value).replace(/^data:image\/[\w+.-]+;base64,/, '');
  if (text === '' || !BASE64.test(text)) return undefined;
  const type = formats.find(([begin]) => text.startsWith(begin))?.[1] ?? 'image/png';
  return `data:${type};base64,${text}`;
}

export function Image({ component }: ComponentProps) {
  const {
    src,
    width,
    height,
    'scale-type': scale,
    'aspect-ratio': ratio,
    'alt-text': alt,
  } = fieldsOf(resolve(component, useStage().scope));
  const picture = pictureOf(src);
  if (!picture) return <Missing alt={alt} />;
  const style = {
    width: Number(width) > 0 ? `${Number(width)}px` : '100%',
    ...(Number(height) > 0 && { height: `${Number(height)}px` }),
    ...(Number(ratio) > 0 && { aspectRatio: String(Number(ratio)) }),
    objectFit: scale === 'cover' ? ('cover' as const) : ('contain' as const),
  };
  return <img class="picture" src={picture} alt={shownText(alt)} style={style} />;
}

const Missing = ({ alt }: { alt: unknown }) => <p class="picture missing">{shownText(alt) || texts.imageCannotBeShown}</p>;

/** Images side by side; the user swipes or presses buttons. */
export function ImageCarousel({ component }: ComponentProps) {
  const { images, 'aspect-ratio': ratio, 'scale-type': scale } = fieldsOf(resolve(component, useStage().scope));
  const pictures = listOf(images).map(fieldsOf);
  const strip = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const turn = (to: number) => {
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? ('auto' as const) : ('smooth' as const);
    strip.current?.children[to]?.scrollIntoView({ behavior, block: 'nearest', inline: 'center' });
    setAt(to);
  };
  const onScroll = () => {
    const { scrollLeft = 0, clientWidth = 1 } = strip.current ?? {};
    setAt(Math.min(pictures.length - 1, Math.round(Math.abs(scrollLeft) / clientWidth)));
  };
  return (
    <section class="carousel" aria-roledescription="carousel" aria-label={texts.images}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focusable for scrolling by keyboard */}
      <div class="strip" ref={strip} onScroll={onScroll} tabIndex={0} role="group" aria-label={texts.imagesSideBySide}>
        {pictures.map((one, i) => {
          const picture = pictureOf(one.src);
          const style = {
            aspectRatio: ratio === '16:9' ? '16 / 9' : '4 / 3',
            objectFit: scale === 'cover' ? ('cover' as const) : ('contain' as const),
          };
          return picture ? (
            <img key={i} src={picture} alt={shownText(one['alt-text'])} style={style} />
          ) : (
            <Missing key={i} alt={one['alt-text']} />
          );
        })}
      </div>
      {pictures.length > 1 && (
        <div class="carousel-bar">
          <button type="button" class="round" aria-label={texts.previousImage} disabled={at === 0} onClick={() => turn(at - 1)}>
            ‹
          </button>
          <span role="status">{texts.of(at + 1, pictures.length)}</span>
          <button
            type="button"
            class="round"
            aria-label={texts.nextImage}
            disabled={at === pictures.length - 1}
            onClick={() => turn(at + 1)}
          >
            ›
          </button>
        </div>
      )}
    </section>
  );
}
