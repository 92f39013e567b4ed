/** Remix emits the stylesheet as a file and exports its URL. */
declare module "*.css" {
  const url: string;
  export default url;
}
