/** The type declarations of a release of the official package, as TypeScript's checker reads them. */
import ts from "typescript";
import {
  ANYTHING,
  joinedObject,
  type ObjectShape,
  once,
  scalarShape,
  type Shape,
  unionOf,
} from "./shapes.ts";

/** The types that a module declares, exported or not. */
export interface Declared {
  /** Names of all types. */
  readonly names: ReadonlySet<string>;
  /** The shape of a type by its name; undefined where there is none. */
  readonly shape: (name: string) => Shape | undefined;
}

/**
 * Reads the types of a module. What it imports is not looked up: types of other packages are anything.
 *
 * @param path Path of the declarations
 * @param opaque Names of types that are not looked into where another type holds them
 * @param text What stands in the file, where there is none
 */
export function readDeclarations(
  path: string,
  opaque: ReadonlySet<string> = new Set(),
  text?: string,
): Declared {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.es2022.d.ts"],
    strict: true,
    types: [],
    skipLibCheck: true,
    noResolve: true,
  };
  const host = ts.createCompilerHost(options);
  if (text !== undefined) {
    const { getSourceFile, fileExists } = host;
    host.fileExists = (name) => name === path || fileExists(name);
    host.getSourceFile = (name, target) =>
      name === path
        ? ts.createSourceFile(name, text, target, true)
        : getSourceFile(name, target);
  }
  const program = ts.createProgram([path], options, host);
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`Cannot read "${path}"`);
  const checker = program.getTypeChecker();
  const declarations = new Map(
    source.statements
      .filter((one) =>
        ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one)
      )
      .map((one) => [one.name.text, one]),
  );
  const read = typeReader(checker, opaque);
  return {
    names: new Set(declarations.keys()),
    shape: (name) => {
      const declaration = declarations.get(name);
      if (declaration === undefined) return undefined;
      return read(checker.getTypeAtLocation(declaration.name));
    },
  };
}

function typeReader(
  checker: ts.TypeChecker,
  opaque: ReadonlySet<string>,
): (type: ts.Type) => Shape {
  const known = new Map<ts.Type, Shape>();
  const ids = new Map<ts.Type, string>();
  const read = (type: ts.Type): Shape => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const shape = readType(type);
    known.set(type, shape);
    return shape;
  };
  const readType = (type: ts.Type): Shape => {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return ANYTHING;
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) {
      return scalarShape([]);
    }
    if (flags & ts.TypeFlags.Null) return scalarShape(["null"]);
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return scalarShape([checker.typeToString(type)]);
    }
    if (type.isStringLiteral() || type.isNumberLiteral()) {
      return scalarShape([JSON.stringify(type.value)]);
    }
    if (flags & ts.TypeFlags.StringLike) return scalarShape(["string"]);
    if (flags & ts.TypeFlags.NumberLike) return scalarShape(["number"]);
    if (flags & ts.TypeFlags.NonPrimitive) return ANYTHING;
    if (type.isUnion()) return unionOf(type.types.map(read));
    if (type.isIntersection()) {
      const parts = type.types.map(read);
      // A branded string is a string.
      const plain = parts.filter(({ scalars }) => scalars.size > 0);
      if (plain.length > 0) return unionOf(plain);
      if (parts.some(({ isAnything }) => isAnything)) return ANYTHING;
      const id = idOf(type);
      const objects = parts.map(({ objects }) => objects);
      if (objects.some(({ length }) => length !== 1)) return objectShape(type);
      return {
        ...scalarShape([]),
        objects: [joinedObject(id, objects.flat())],
      };
    }
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const held = checker.getTypeArguments(type as ts.TypeReference);
      return {
        ...scalarShape([]),
        items: once(() => unionOf(held.map(readInner))),
      };
    }
    if (type.getCallSignatures().length > 0) return ANYTHING;
    return objectShape(type);
  };
  /** A type within another: the opaque ones are anything there. */
  const readInner = (type: ts.Type): Shape => {
    const name = type.aliasSymbol?.name;
    return name !== undefined && opaque.has(name) ? ANYTHING : read(type);
  };
  const objectShape = (type: ts.Type): Shape => {
    const properties = checker.getPropertiesOfType(type);
    const others = checker.getIndexInfoOfType(type, ts.IndexKind.String);
    if (properties.length === 0 && others === undefined) return ANYTHING;
    const object: ObjectShape = {
      id: idOf(type),
      isPublished: true,
      fields: once(() =>
        new Map(properties.map((property) => [property.name, {
          isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
          isPublished: true,
          shape: once(() => readInner(checker.getTypeOfSymbol(property))),
        }]))
      ),
      ...others !== undefined && { others: once(() => readInner(others.type)) },
    };
    return { ...scalarShape([]), objects: [object] };
  };
  const idOf = (type: ts.Type): string => {
    const name = ids.get(type) ??
      type.aliasSymbol?.name ??
      `${type.symbol?.name ?? "type"}#${ids.size}`;
    ids.set(type, name);
    return name;
  };
  return read;
}
