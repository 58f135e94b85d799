// Renders a chart as "helm template" does, for machines without Helm: templates, functions, values and files as Helm's engine has them.
// Standard input is a JSON list of renderings to make; standard output is the list of results.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type task struct {
	Release   string `json:"release"`
	Namespace string `json:"namespace"`
	Values    string `json:"values"`
}

type result struct {
	Values object            `json:"values"`
	Files  map[string]string `json:"files,omitempty"`
	Error  string            `json:"error,omitempty"`
}

func main() {
	folder := os.Args[1]
	var tasks []task
	must(json.NewDecoder(os.Stdin).Decode(&tasks))
	results := make([]result, len(tasks))
	for index, asked := range tasks {
		values, err := readValues(folder, asked.Values)
		must(err)
		results[index].Values = values
		rendered, err := render(folder, asked, values)
		if err != nil {
			results[index].Error = err.Error()
		} else {
			results[index].Files = rendered
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(results))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The given values and the chart's own.
func readValues(folder, text string) (object, error) {
	defaults, err := readYaml(filepath.Join(folder, "values.yaml"))
	if err != nil {
		return nil, err
	}
	given := object{}
	if err := yaml.Unmarshal([]byte(text), &given); err != nil {
		return nil, err
	}
	return coalesce(given, defaults), nil
}

func render(folder string, asked task, values object) (map[string]string, error) {
	chart, err := readYaml(filepath.Join(folder, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	scope := object{
		"Values": values,
		"Chart":  upperNames(chart),
		"Release": object{
			"Name": asked.Release, "Namespace": asked.Namespace, "Service": "Helm",
			"IsInstall": true, "IsUpgrade": false, "Revision": 1,
		},
		"Capabilities": object{"APIVersions": versions{}, "KubeVersion": object{
			"Version": "v1.31.0", "GitVersion": "v1.31.0", "Major": "1", "Minor": "31",
		}},
		"Files": files{folder},
	}
	return renderAll(folder, scope)
}

func renderAll(folder string, scope object) (map[string]string, error) {
	names, err := templateNames(folder)
	if err != nil {
		return nil, err
	}
	root := template.New("gotpl").Option("missingkey=zero")
	root.Funcs(functions(root))
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if _, err := root.New(name).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	rendered := map[string]string{}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		scope["Template"] = object{"Name": name, "BasePath": "templates"}
		text, err := execute(root, name, scope)
		if err != nil {
			return nil, err
		}
		rendered[name] = text
	}
	return rendered, nil
}

func execute(root *template.Template, name string, data interface{}) (string, error) {
	var text strings.Builder
	err := root.ExecuteTemplate(&text, name, data)
	return strings.ReplaceAll(text.String(), "<no value>", ""), err
}

func templateNames(folder string) ([]string, error) {
	var names []string
	err := filepath.Walk(filepath.Join(folder, "templates"), func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	sort.Strings(names)
	return names, err
}

func functions(root *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	depth := 0
	all["include"] = func(name string, data interface{}) (string, error) {
		if depth++; depth > 1000 {
			return "", errors.New("templates include one another without end")
		}
		defer func() { depth-- }()
		return execute(root, name, data)
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		inner, err := root.Clone()
		if err != nil {
			return "", err
		}
		inner.Funcs(functions(inner))
		if _, err := inner.New("tpl").Parse(text); err != nil {
			return "", err
		}
		return execute(inner, "tpl", data)
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || isText && text == "" {
			return value, errors.New(message)
		}
		return value, nil
	}
	all["lookup"] = func(string, string, string, string) object { return object{} }
	all["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	all["toJson"] = func(value interface{}) string {
		text, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(text)
	}
	parseMap := func(text string) object {
		value := object{}
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			value["Error"] = err.Error()
		}
		return value
	}
	parseList := func(text string) []interface{} {
		value := []interface{}{}
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			value = []interface{}{err.Error()}
		}
		return value
	}
	all["fromYaml"], all["fromJson"] = parseMap, parseMap
	all["fromYamlArray"], all["fromJsonArray"] = parseList, parseList
	return all
}

// What is given wins; null takes a default away.
func coalesce(given, defaults object) object {
	values := object{}
	for name, value := range defaults {
		values[name] = value
	}
	for name, value := range given {
		inner, isMap := value.(object)
		if known, wasMap := defaults[name].(object); isMap && wasMap {
			values[name] = coalesce(inner, known)
		} else if value == nil {
			delete(values, name)
		} else {
			values[name] = value
		}
	}
	return values
}

func readYaml(path string) (object, error) {
	text, err := os.ReadFile(path)
	value := object{}
	if err == nil {
		err = yaml.Unmarshal(text, &value)
	}
	return value, err
}

// .Chart has the fields of a Go structure.
func upperNames(chart object) object {
	fields := object{}
	for name, value := range chart {
		fields[strings.ToUpper(name[:1])+name[1:]] = value
	}
	return fields
}

type files struct{ folder string }

func (chart files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(chart.folder, name))
	if err != nil {
		return ""
	}
	return string(text)
}

type versions struct{}

func (versions) Has(string) bool { return false }
