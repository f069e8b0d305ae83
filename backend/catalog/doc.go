// Package catalog knows servers that can be installed by name: it reads their
// manifests, from the program itself and from folders a person names, checks
// them, and turns one into steps for the writer of the file.
//
// A manifest is somebody else's text. The program's own are reviewed and pinned;
// those of a folder are labelled with it, may not take the name of one of ours,
// and what they would run is shown before it is written. Reading and planning
// start nothing; asking npm for a package's hash and fetching a repository are
// separate acts that the desk asks for.
package catalog
