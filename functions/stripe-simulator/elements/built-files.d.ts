declare module "*/stripe-simulator-elements/files.json" {
  const files: { stripeJs: string; frame: string };
  export default files;
}
