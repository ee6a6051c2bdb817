/** The pages of every exported name, as Markdown. */
import { registerHooks } from "node:module";
import type {
  Context,
  ProjectReflection,
  Reflection,
  TypeDocOptions,
} from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { FLEET, readConfig, REPOSITORY, ROOT_PATH } from "../project.ts";

// Of the TypeScripts of deno.json, Deno gives it the newest, which it cannot use.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript"
      ? next(specifier, { ...context, parentURL: import.meta.url })
      : next(specifier, context),
});
const {
  Application,
  Comment,
  Converter,
  DeclarationReflection,
  ReflectionKind,
} = await import(
  "typedoc"
);
const { load } = await import("typedoc-plugin-markdown");

/** Writes a page for each exported name of each entry into a folder, and a page that lists them for each entry; returns those names. */
export async function writeApi(folder: string): Promise<readonly string[]> {
  const names = new Map<string, string>();
  for (const member of [".", FLEET]) {
    const { exports, name } = await readConfig(member);
    for (const [entry, path] of Object.entries(exports)) {
      names.set(
        `${member}/${path}`.replaceAll("./", "").replace(/\.ts$/, ""),
        name + entry.slice(1),
      );
    }
  }
  const sources = Array.from(names.keys(), (path) => `${path}.ts`);
  const tsconfig = `${folder}/tsconfig.json`;
  await Deno.writeTextFile(
    tsconfig,
    JSON.stringify({
      compilerOptions: {
        ...(await readConfig() as unknown as { compilerOptions: object })
          .compilerOptions,
        target: "esnext",
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
        allowImportingTsExtensions: true,
        noEmit: true,
        types: ["node"],
        paths: Object.fromEntries(
          Array.from(
            names,
            ([path, name]) => [name, [`${ROOT_PATH}${path}.ts`]],
          ),
        ),
      },
      files: sources.map((path) => ROOT_PATH + path),
    }),
  );
  const options: Partial<TypeDocOptions & PluginOptions> = {
    plugin: [load as never],
    entryPoints: sources,
    tsconfig,
    // Deno has checked the types, and knows its own.
    skipErrorChecking: true,
    validation: false,
    // Members that come from Node or the language.
    excludeExternals: true,
    logLevel: "Warn",
    readme: "none",
    name: "API",
    basePath: ROOT_PATH,
    disableGit: true,
    gitRevision: "main",
    sourceLinkTemplate: `${REPOSITORY}/blob/main/{path}#L{line}`,
    out: `${folder}/api`,
    router: "member",
    membersWithOwnFile: [],
    entryFileName: "index.md",
    hidePageHeader: true,
    locales: { en: { kind_namespace: "Page", kind_plural_namespace: "Pages" } },
    useCodeBlocks: true,
    pageTitleTemplates: {
      index: "API: every exported name",
      module: (
        { kind, name }: { readonly kind: string; readonly name: string },
      ) => kind === "Module" ? name : name.replaceAll("_", " "),
      member: ({ name }: { readonly name: string }) => name,
    },
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeAliasPropertiesFormat: "table",
    propertyMembersFormat: "table",
    typeDeclarationFormat: "table",
    indexFormat: "table",
    tableColumnSettings: {
      hideSources: true,
      hideInherited: true,
      hideModifiers: true,
      hideOverrides: true,
    },
    // Vue would take them for elements.
    sanitizeComments: true,
    useHTMLEncodedBrackets: true,
    blockTagsPreserveOrder: ["@example"],
  };
  const app = await Application.bootstrapWithPlugins(options);
  const exported: string[] = [];
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: Context) => {
    for (const module of project.children ?? []) {
      module.name = names.get(module.name) ?? module.name;
      exported.push(...(module.children ?? []).map(({ name }) => name));
    }
    dropInherited(project);
    groupTypes(project);
  }, 1_000);
  const project = await app.convert();
  if (project === undefined) throw new Error("typedoc made no pages");
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("typedoc reported errors");
  return exported;
}

/** Removes inherited members: the type links to its base. */
function dropInherited(project: ProjectReflection): void {
  for (const one of Object.values(project.reflections)) {
    if (
      one instanceof DeclarationReflection && one.inheritedFrom !== undefined
    ) {
      project.removeReflection(one);
    }
  }
}

/** Puts the names of an entry that are declared in one file on one page. */
function groupTypes(project: ProjectReflection): void {
  for (const module of project.children ?? []) {
    const groups = new Map<
      string,
      InstanceType<typeof DeclarationReflection>
    >();
    for (const child of [...module.children ?? []]) {
      if (child.kindOf(ReflectionKind.Reference)) continue;
      const [, folder, file = "other"] =
        /([^/]*)\/([^/]*)\.ts$/.exec(child.sources?.[0]?.fileName ?? "") ?? [];
      const name = folder === "types" ? `${file}_types` : file;
      let group = groups.get(name);
      if (group === undefined) {
        group = new DeclarationReflection(
          name,
          ReflectionKind.Namespace,
          module,
        );
        project.registerReflection(group, undefined, undefined);
        groups.set(name, group);
      }
      module.removeChild(child);
      child.parent = group as Reflection as never;
      group.addChild(child);
    }
    for (const group of groups.values()) {
      module.addChild(group);
      group.comment = new Comment(
        (group.children ?? []).flatMap((target, at) => [
          { kind: "text", text: at === 0 ? "" : ", " },
          { kind: "inline-tag", tag: "@link", text: target.name, target },
        ]),
      );
    }
  }
}
