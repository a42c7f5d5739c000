/** False in a frame while another part of the surrounding page has the focus, such as an editor in which the user types. */
export const mayTakeFocus = (): boolean => parent === window || document.hasFocus();
