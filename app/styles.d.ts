/** The Remix compiler turns a stylesheet into a file and gives its address. */
declare module "*.css" {
  const address: string;
  export default address;
}
