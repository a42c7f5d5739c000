import type { ComponentType } from 'preact';
import { type ComponentProps, Marked } from '../definition.js';
import { directionOf, textsOf } from '../direction.js';
import { resolve, wordsOf } from '../evaluate.js';
import { useStage } from '../stage.js';
import { CheckboxGroup, ChipsSelector, OptIn, RadioButtonsGroup } from './choices.js';
import { CalendarPicker, DatePicker } from './dates.js';
import { Dropdown } from './dropdown.js';
import { Image, ImageCarousel } from './images.js';
import { EmbeddedLink, NavigationList } from './links.js';
import { DocumentPicker, PhotoPicker } from './pickers.js';
import { TextArea, TextInput } from './text-inputs.js';
import { RichText, TextBody, TextCaption, TextHeading, TextSubheading } from './texts.js';
import { words } from './words.js';

/** By type. Form, If and Switch have nothing of their own to show, and the Footer has its place below the screen. */
const views: Readonly<Record<string, ComponentType<ComponentProps>>> = {
  TextHeading,
  TextSubheading,
  TextBody,
  TextCaption,
  RichText,
  TextInput,
  TextArea,
  CheckboxGroup,
  RadioButtonsGroup,
  Dropdown,
  ChipsSelector,
  OptIn,
  DatePicker,
  CalendarPicker,
  Image,
  ImageCarousel,
  EmbeddedLink,
  NavigationList,
  PhotoPicker,
  DocumentPicker,
};

/** Properties that hold what a component shows beside words. */
const BOUND = ['data-source', 'list-items', 'images', 'src'];

/** A component in the direction of its own text, because a screen may mix languages. */
export function ComponentView({ component }: ComponentProps) {
  const { scope } = useStage();
  const View = Object.hasOwn(views, component.type) ? views[component.type] : undefined;
  if (!View) {
    return (
      <p class="unknown">
        There is no component <code>{component.type}</code>.
      </p>
    );
  }
  const bound = BOUND.map((key) => component[key]).filter((value) => typeof value === 'string');
  const missing = bound.map((value) => wordsOf(value, scope)).filter((value) => value instanceof Marked);
  return (
    <div class="part" dir={directionOf(textsOf(resolve(component, scope)))}>
      <View component={component} />
      {missing.map((value) => (
        <p key={String(value)} class="missing-data">
          {words(value)}
        </p>
      ))}
    </div>
  );
}
