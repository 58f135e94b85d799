// What is used of the generator, which has no types of its own.
declare module '@11ty/eleventy' {
  interface Config {
    setUseGitIgnore(uses: boolean): void;
    addPlugin(plugin: unknown): void;
    addTemplate(path: string, text: string, data: object): void;
    amendLibrary(name: 'md', amend: (markdown: import('./markdown.js').Markdown) => void): void;
    addTransform(
      name: string,
      transform: (this: { readonly page: { readonly url: string } }, content: string) => string,
    ): void;
  }

  export class Eleventy {
    constructor(input: string, output: string, options: { quietMode: boolean; config(config: Config): void });
    write(): Promise<void>;
  }
}

declare module '@11ty/eleventy-plugin-syntaxhighlight' {
  const plugin: unknown;
  export default plugin;
}
