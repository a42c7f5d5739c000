/** Style sheets of pages, which the bundle contains as texts. */
declare module '*.page.css' {
  const text: string;
  export default text;
}
