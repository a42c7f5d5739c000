import type { ComponentType } from 'preact';
import { type ComponentProps, UndeclaredText } from '../definition.js';
import { directionOf, textsOf } from '../direction.js';
import { displayText, resolve } from '../evaluate.js';
import { useStage } from '../stage.js';
import { texts } from '../texts.js';
import { CheckboxGroup, ChipsSelector, OptIn, RadioButtonsGroup } from './choices.js';
import { CalendarPicker, DatePicker } from './dates.js';
import { Dropdown } from './dropdown.js';
import { Image, ImageCarousel } from './images.js';
import { Inspected } from './inspected.js';
import { EmbeddedLink, NavigationList } from './links.js';
import { DocumentPicker, PhotoPicker } from './pickers.js';
import { renderText } from './render-text.js';
import { RichText, TextBody, TextCaption, TextHeading, TextSubheading } from './text-blocks.js';
import { TextArea, TextInput } from './text-inputs.js';

/** The views by component type. Form, If and Switch have none, and the Footer is rendered below the screen. */
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

/** Properties with data other than text; undeclared references in them are listed below the component. */
const DATA_PROPERTIES = ['data-source', 'list-items', 'images', 'src'];

/** Renders a component in the direction of its own text, because a screen may mix languages. */
export function ComponentView({ component }: ComponentProps) {
  const { scope } = useStage();
  const View = Object.hasOwn(views, component.type) ? views[component.type] : undefined;
  if (!View) {
    return (
      <Inspected component={component} look="part">
        <p class="unknown">
          {texts.unknownComponent} <code>{component.type}</code>
        </p>
      </Inspected>
    );
  }
  const bound = DATA_PROPERTIES.map((key) => component[key]).filter((value) => typeof value === 'string');
  const missing = bound.map((value) => displayText(value, scope)).filter((value) => value instanceof UndeclaredText);
  return (
    <Inspected component={component} look="part" dir={directionOf(textsOf(resolve(component, scope)))}>
      <View component={component} />
      {missing.map((value) => (
        <p key={String(value)} class="missing-data">
          {renderText(value)}
        </p>
      ))}
    </Inspected>
  );
}
