# A Homebrew formula. At a release: put the project's page, the sdist's address and `shasum -a 256 dist/*.tar.gz` into the three lines below, then
# let `brew update-python-resources alice-exp` write the resources, and `brew audit --new alice-exp` read it.
class AliceExp < Formula
  include Language::Python::Virtualenv

  desc "Agent's experience in plain files that a person reads, reviews and trusts"
  homepage "HOMEPAGE"
  url "SDIST"
  sha256 "SHA256"
  license "MIT"

  depends_on "git"
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
    man1.install "alice_exp/man/alice-exp.1"
    generate_completions_from_executable(bin/"alice-exp", "completion")
  end

  test do
    ENV["ALICE_HOME"] = testpath/"home"
    system bin/"alice-exp", "init", "--quiet"
    system bin/"alice-exp", "remember", "tabs, not spaces", "--quiet"
    assert_match "tabs, not spaces", shell_output("#{bin}/alice-exp recall tabs")
  end
end
