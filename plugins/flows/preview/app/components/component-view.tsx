import type { ComponentType } from 'preact';
import type { ComponentProps } from '../definition.js';
import { CheckboxGroup, ChipsSelector, OptIn, RadioButtonsGroup } from './choices.js';
import { CalendarPicker, DatePicker } from './dates.js';
import { Dropdown } from './dropdown.js';
import { Image, ImageCarousel } from './images.js';
import { EmbeddedLink, NavigationList } from './links.js';
import { DocumentPicker, PhotoPicker } from './pickers.js';
import { TextArea, TextInput } from './text-inputs.js';
import { RichText, TextBody, TextCaption, TextHeading, TextSubheading } from './texts.js';

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

export function ComponentView({ component }: ComponentProps) {
  const View = Object.hasOwn(views, component.type) ? views[component.type] : undefined;
  if (View) return <View component={component} />;
  return (
    <p class="unknown">
      There is no component <code>{component.type}</code>.
    </p>
  );
}
