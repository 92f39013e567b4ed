// Optimized in development too: the compiler of Remix does not know nested rules.
export default { plugins: { "@tailwindcss/postcss": { optimize: true } } };
