/** A style sheet as a text, which the build minifies. */
declare module '*.page.css' {
  const css: string;
  export default css;
}
